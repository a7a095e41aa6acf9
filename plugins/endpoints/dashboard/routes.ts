import type { AdminExchange, AdminRoute, DashboardPage } from '../../../core/admin.ts'
import { GatewayError, type Registry } from '../../../core/index.ts'
import type { Asset, Assets } from './assets.ts'
import { redirect } from './openid.ts'
import { ownPages } from './own-addresses.ts'
import { pageHtml, securityHeaders } from './page.ts'
import type { SignIn } from './sign-in.ts'

export interface DashboardParts {
  readonly assets: Assets
  readonly pages: Registry<DashboardPage>
  readonly signIn: SignIn
}

/** Everything here is for browsers that are not signed in, too: it shows nothing of the gateway. */
export function dashboardRoutes({ assets, pages, signIn }: DashboardParts): readonly AdminRoute[] {
  const page = (): Response => new Response(pageHtml(assets.main), { headers: { ...securityHeaders, ...fresh, 'content-type': html } })
  return [
    open('GET', '/', page),
    // Browsers ask for it before they have read which icon the page names.
    open('GET', '/favicon.ico', async ({ request }) => reply(request, await assets.get('icon.svg'))),
    open('GET', '/:page', ({ request, params }) => {
      if (!/^[a-z][a-z0-9-]*$/.test(params['page']!)) return nothing()
      const isPage = ownPages.has(params['page']!) || pages.get(params['page']!) !== undefined
      if (!isPage && !asksForHtml(request)) throw noPage(params['page']!)
      const { pathname, search } = new URL(request.url)
      // The router ignores a slash at the end, but the relative addresses of the page do not.
      return pathname.endsWith('/') ? redirect(`../${params['page']}${search}`) : page()
    }),
    open('GET', '/app/**:path', async ({ request, params }) => reply(request, await assets.get(params['path']!))),
    open('GET', '/modules/:file', async ({ request, params }) => {
      const [, id] = /^(.+)\.js$/.exec(params['file']!) ?? []
      const added = pages.values().find(each => each.id === id)
      return reply(request, added && (await assets.file(added.module, `modules/${id}.js`)))
    }),
    open('GET', '/session', (exchange, gateway) => signIn.show(exchange, gateway, pages.values())),
    open('POST', '/session', (exchange, gateway) => signIn.start(exchange, gateway)),
    open('DELETE', '/session', exchange => signIn.end(exchange)),
    open('GET', '/openid', exchange => signIn.startOpenId(exchange)),
    open('GET', '/openid-callback', (exchange, gateway) => signIn.finishOpenId(exchange, gateway)),
  ]
}

const html = 'text/html; charset=utf-8'
const fresh = { 'cache-control': 'no-cache' }

/** Browsers do, and the app then says that there is no such page. Programs that probe an address must not take that for an answer. */
function asksForHtml({ headers }: Request): boolean {
  return /\b(?:text\/html|application\/xhtml\+xml)\b/i.test(headers.get('accept') ?? '')
}

function noPage(name: string): GatewayError {
  const message = `Nothing is served at GET /${name}.`
  return new GatewayError({ status: 404, type: 'invalid_request_error', code: 'not_found', message })
}

function open(method: AdminRoute['method'], path: string, handle: AdminRoute['handle']): AdminRoute {
  return { method, path, role: 'none', reach: 'org', handle }
}

function reply({ headers }: AdminExchange['request'], asset: Asset | undefined): Response {
  if (!asset) return nothing()
  const { type, etag, plain, zipped, isLasting } = asset
  const common = {
    ...securityHeaders,
    etag,
    vary: 'accept-encoding',
    ...(isLasting ? { 'cache-control': 'public, max-age=31536000, immutable' } : fresh),
  }
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: common })
  const isZipped = /\bgzip\b/.test(headers.get('accept-encoding') ?? '')
  return new Response(isZipped ? zipped : plain, {
    headers: { ...common, 'content-type': type, ...(isZipped && { 'content-encoding': 'gzip' }) },
  })
}

function nothing(): Response {
  return new Response('Not found', { status: 404, headers: { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8' } })
}
