import t from 'tap'
import { readFileSync } from 'node:fs'
import { AdminRoutes, DashboardPages, type AdminRoute } from '../../../core/admin.ts'
import { definePlugin, type Registry } from '../../../core/index.ts'
import dashboard from '../../../plugins/endpoints/dashboard/index.ts'
import { ownAddresses, ownPages } from '../../../plugins/endpoints/dashboard/own-addresses.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'

interface Browser {
  /** Sends what a page of the dashboard would: with the cookie, and the anti-forgery token unless the headers say otherwise. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
  readonly cookie: string
  readonly antiForgery: string
}

async function underTest(): Promise<AdminGateway> {
  return await adminGateway({ plugins: [dashboard({})] })
}

function ask({ gateway }: AdminGateway, method: string, path: string, body?: unknown, headers: object = {}): Promise<Response> {
  return Promise.resolve(
    gateway.admin!.app.h3.request(path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
}

async function signedIn(under: AdminGateway, token: string): Promise<Browser> {
  const reply = await ask(under, 'POST', '/session', { token })
  const cookie = reply.headers.get('set-cookie')!.split(';')[0]!
  const session = (await (await ask(under, 'GET', '/session', undefined, { cookie })).json()) as { readonly anti_forgery: string }
  const antiForgery = session.anti_forgery
  return {
    cookie,
    antiForgery,
    send: (method, path, body, headers = {}) => ask(under, method, path, body, { cookie, 'x-anti-forgery': antiForgery, ...headers }),
  }
}

t.test('the page and its files are served to everybody, and nothing else is', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  for (const path of ['/', '/keys', '/logs?id=x']) {
    const page = await ask(under, 'GET', path)
    t.equal(page.status, 200, path)
    const html = await page.text()
    t.match(html, /<script type="module" src="app\/main.ts"><\/script>/)
    t.notMatch(html, /(src|href)="(\/|https?:)/, 'all addresses are relative')
    t.notMatch(html, /<script(?![^>]*src=)|<style|style=|onload=/, 'nothing is inline')
    const policy = page.headers.get('content-security-policy')!
    t.match(policy, /default-src 'none'; script-src 'self'/)
    t.match(policy, /frame-ancestors 'none'/)
    t.notMatch(policy, /unsafe|https?:|\*/)
    t.equal(page.headers.get('x-content-type-options'), 'nosniff')
    t.equal(page.headers.get('referrer-policy'), 'no-referrer')
  }
  const slashed = await ask(under, 'GET', '/logs/?id=x')
  t.match([slashed.status, slashed.headers.get('location')], [302, '../logs?id=x'], 'relative addresses would be wrong')
  for (const path of [
    '/app/tsconfig.json',
    '/app/..%2findex.ts',
    '/app/%2e%2e/index.ts',
    '/app/components',
    '/app/none.ts',
    '/Keys',
    '/a.txt',
    '/modules/x.js',
  ])
    t.equal((await ask(under, 'GET', path)).status, 404, path)
  t.equal((await ask(under, 'GET', '/admin/v1')).status, 401)
})

t.test('a page that does not exist is one for browsers only: programs that probe an address get a 404', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  for (const path of ['/metrics', '/healthz', '/admin', '/metrics/']) {
    const isSlashed = path.endsWith('/')
    for (const accept of [undefined, '*/*', 'application/json', 'text/plain', 'application/openmetrics-text; version=1.0.0, text/plain']) {
      const reply = await ask(under, 'GET', path, undefined, accept === undefined ? {} : { accept })
      t.match(
        [reply.status, await reply.json()],
        [404, { error: { code: 'not_found', message: `Nothing is served at GET ${path.replace(/\/$/, '')}.` } }],
      )
      t.equal((await ask(under, 'HEAD', path, undefined, accept === undefined ? {} : { accept })).status, 404)
    }
    for (const accept of ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'TEXT/HTML'])
      t.equal(
        (await ask(under, 'GET', path, undefined, { accept })).status,
        isSlashed ? 302 : 200,
        'the app says that there is no such page',
      )
  }
})

t.test('modules come without types and name libraries by their address', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  const seen = new Map<string, string>()
  const open = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    const reply = await ask(under, 'GET', path)
    const code = await reply.text()
    t.equal(reply.status, 200, path)
    t.match(reply.headers.get('content-type'), 'text/javascript', path)
    seen.set(path, code)
    for (const [, name] of code.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g)) {
      t.match(name, /^\.\.?\//, `${path} imports ${name}`)
      await open(new URL(name!, `http://gateway${path}`).pathname)
    }
  }
  await open('/app/main.ts')
  t.ok(seen.has('/app/libraries/preact.js') && seen.has('/app/pages/keys/index.ts') && seen.has('/app/libraries/uplot.js'))
  t.ok(seen.has('/app/libraries/key-fields.ts') && seen.has('/app/libraries/fields.ts'), 'the lists of fields are the one part of core')
  for (const other of ['log-sink', 'field-types', 'key-store'])
    t.equal((await ask(under, 'GET', `/app/libraries/${other}.ts`)).status, 404, other)
  const first = await ask(under, 'GET', '/app/main.ts', undefined, { 'accept-encoding': 'gzip' })
  t.equal(first.headers.get('content-encoding'), 'gzip')
  const again = await ask(under, 'GET', '/app/main.ts', undefined, { 'if-none-match': first.headers.get('etag')! })
  t.equal(again.status, 304)
})

t.test('an admin token signs in, with its role and organization', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  await under.call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  t.same(await (await ask(under, 'GET', '/session')).json(), { admin: null, openid: null })
  const token = await under.token('viewer', 'acme')
  const reply = await ask(under, 'POST', '/session', { token })
  t.equal(reply.status, 201)
  t.match(reply.headers.get('set-cookie'), /^turnpike_[0-9a-f]{8}=[\w-]+; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  const behindTls = await ask(under, 'POST', '/session', { token }, { 'x-forwarded-proto': 'https' })
  t.match(behindTls.headers.get('set-cookie'), /; Secure$/)
  t.notMatch(reply.headers.get('set-cookie'), token.split('_')[2]!)
  const { send } = await signedIn(under, token)
  t.match(await (await send('GET', '/session')).json(), { admin: { role: 'viewer', org: 'acme' } })
  t.equal((await send('GET', '/admin/v1/keys')).status, 200)
  t.equal((await send('POST', '/admin/v1/keys', { name: 'k', org: 'acme' })).status, 403, 'a viewer only reads')
  t.equal((await send('GET', '/admin/v1/config')).status, 403, 'the organization of the token')
  t.match((await under.call('GET', '/audit')).body.data[0], { action: 'sessions.create', org: 'acme' })
})

t.test('a change needs the anti-forgery token, and requests of other origins have no session', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  const { send, antiForgery } = await signedIn(under, await under.token('owner'))
  const create = (headers: Readonly<Record<string, string>>): Promise<Response> => send('POST', '/admin/v1/keys', { name: 'k' }, headers)
  t.equal((await create({})).status, 201)
  for (const wrong of ['', 'x', `${antiForgery}x`, antiForgery.replace(/./, c => (c === 'A' ? 'B' : 'A'))]) {
    const refused = await create({ 'x-anti-forgery': wrong })
    t.equal(refused.status, 403, wrong)
    t.match(await refused.json(), { error: { code: 'anti_forgery_token_invalid', message: /Reload the page/ } })
  }
  t.equal((await send('DELETE', '/session', undefined, { 'x-anti-forgery': '' })).status, 403)
  for (const site of ['cross-site', 'same-site']) {
    t.equal((await create({ 'sec-fetch-site': site })).status, 401, site)
    t.equal((await send('GET', '/admin/v1/keys', undefined, { 'sec-fetch-site': site })).status, 401, site)
  }
  t.equal((await create({ 'sec-fetch-site': 'same-origin' })).status, 201)
  const token = await under.token('owner')
  t.equal((await ask(under, 'POST', '/session', { token }, { 'sec-fetch-site': 'cross-site' })).status, 401, 'nobody signs others in')
})

t.test('a session ends with its token, by signing out, and when it was changed', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  const token = await under.token('owner')
  const one = await signedIn(under, token)
  const other = await signedIn(under, token)
  const out = await one.send('DELETE', '/session')
  t.match(out.headers.get('set-cookie'), /=; Max-Age=0/)
  t.equal((await one.send('GET', '/admin/v1/keys')).status, 401, 'a copy of the cookie is worth nothing')
  t.equal((await other.send('GET', '/admin/v1/keys')).status, 200)
  for (const cookie of [other.cookie.replace(/.{9}$/, 'AAAAAAAAA'), other.cookie.slice(0, -8), other.cookie.replace(/=.*/, '=AAAA')])
    t.equal((await other.send('GET', '/admin/v1/keys', undefined, { cookie })).status, 401)
  t.equal((await under.call('DELETE', `/admin-tokens/${token.split('_')[1]}`)).status, 200)
  t.equal((await other.send('GET', '/admin/v1/keys')).status, 401, 'the token is deleted')
  t.same(await (await other.send('GET', '/session')).json(), { admin: null, openid: null })
})

t.test('a link signs in once', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  const code = await under.gateway.admin!.issueLink(await under.token('owner'))
  t.equal((await ask(under, 'POST', '/session', { token: code })).status, 201)
  const again = await ask(under, 'POST', '/session', { token: code })
  t.equal(again.status, 401)
  t.match(await again.json(), { error: { message: /not valid/ } })
  t.equal((await under.call('GET', '/keys', undefined, code)).status, 401, 'a code is no token')
})

t.test('wrong tokens are refused, and too many of them too', async t => {
  const under = await underTest()
  t.teardown(under.stop)
  for (const body of [{}, { token: 1 }, { token: '' }, { token: 'x', org: 'y' }])
    t.equal((await ask(under, 'POST', '/session', body)).status, 400)
  for (let tries = 0; tries < 10; tries++) t.equal((await ask(under, 'POST', '/session', { token: 'wrong' })).status, 401)
  const limited = await ask(under, 'POST', '/session', { token: 'wrong' })
  t.equal(limited.status, 429)
  t.ok(Number(limited.headers.get('retry-after')) > 0)
  t.equal((await ask(under, 'POST', '/session', { token: await under.token('owner') })).status, 201, 'a valid token is never kept out')
})

t.test('every admin route: 401 without a session, 403 for changes without the anti-forgery token', async t => {
  let routes: Registry<AdminRoute>
  const table = definePlugin({
    name: 'route-table',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { routes: AdminRoutes },
    setup(_, __, needs) {
      routes = needs.routes
    },
  })
  const under = await adminGateway({ plugins: [dashboard({}), table({})] })
  t.teardown(under.stop)
  const { send } = await signedIn(under, await under.token('owner'))
  const closed = routes!.values().filter(({ role }) => role !== 'none')
  t.ok(closed.length > 30)
  for (const { method, path } of closed) {
    const url = path.replaceAll(/:\w+/g, 'x')
    const body = method === 'POST' || method === 'PATCH' ? {} : undefined
    const name = `${method} ${path}`
    t.equal((await ask(under, method, url, body)).status, 401, `${name} without a session`)
    t.equal((await ask(under, method, url, body, { cookie: 'turnpike_00000000=x' })).status, 401, `${name} with another cookie`)
    const plain = await send(method, url, body, { 'x-anti-forgery': '' })
    if (method === 'GET') t.not(plain.status, 401, name)
    else t.match(await plain.json(), { error: { code: 'anti_forgery_token_invalid' } }, `${name} without the anti-forgery token`)
    const { status } = await send(method, url, body)
    t.ok(status < 500 && status !== 401 && status !== 403, `${name} with it: ${status}`)
  }
  t.same(
    routes!.values().flatMap(({ role, method, path }) => (role === 'none' ? [`${method} ${path}`] : [])),
    [
      'GET /',
      'GET /favicon.ico',
      'GET /:page',
      'GET /app/**:path',
      'GET /modules/:file',
      'GET /session',
      'POST /session',
      'DELETE /session',
      'GET /openid',
      'GET /openid-callback',
    ],
    'what is open to everybody',
  )
})

t.test('sessions, links and the wait after wrong tokens end in time', async t => {
  let now = Date.UTC(2026, 0, 31, 12)
  const under = await adminGateway({ plugins: [dashboard({})], clock: { now: () => now, elapsed: () => now } })
  t.teardown(under.stop)
  const token = await under.token('owner')
  const [used, late] = [await under.gateway.admin!.issueLink(token), await under.gateway.admin!.issueLink(token)]
  now += 15 * 60_000 - 1
  t.equal((await ask(under, 'POST', '/session', { token: used })).status, 201)
  now += 1
  t.equal((await ask(under, 'POST', '/session', { token: late })).status, 401)
  const { send } = await signedIn(under, token)
  now += 12 * 3_600_000 - 1
  t.equal((await send('GET', '/admin/v1/keys')).status, 200)
  now += 1
  t.equal((await send('GET', '/admin/v1/keys')).status, 401)
  for (let tries = 0; tries < 10; tries++) await ask(under, 'POST', '/session', { token: 'wrong' })
  t.equal((await ask(under, 'POST', '/session', { token: 'wrong' })).status, 429)
  now += 60_000
  t.equal((await ask(under, 'POST', '/session', { token: 'wrong' })).status, 401)
})

t.test('a page of a plugin is listed and served, unless the dashboard has its address', async t => {
  const adding = (id: string) =>
    definePlugin({
      name: 'acme-page',
      options: { type: 'object', additionalProperties: false, properties: {} },
      setup: gateway => gateway.add(DashboardPages, { id, title: 'Ours', module: new URL(import.meta.url), role: 'editor' }),
    })({})
  const under = await adminGateway({ plugins: [dashboard({}), adding('ours')] })
  t.teardown(under.stop)
  t.same([(await ask(under, 'GET', '/ours')).status, (await ask(under, 'GET', '/theirs')).status], [200, 404])
  const { send } = await signedIn(under, await under.token('owner'))
  t.match(await (await send('GET', '/session')).json(), { pages: [{ id: 'ours', title: 'Ours', role: 'editor' }] })
  const module = await ask(under, 'GET', '/modules/ours.js')
  t.match(module.headers.get('content-type'), 'text/javascript')
  t.notMatch(await module.text(), /interface Browser \{/, 'its types are stripped')
  for (const id of ['keys', 'session', 'live', 'ready'])
    await t.rejects(adminGateway({ plugins: [dashboard({}), adding(id)] }), {
      message: `plugin acme-page adds the dashboard page "${id}", but the dashboard already has a page with this id. Choose another id.`,
    })
  const list = readFileSync(new URL('../../../plugins/endpoints/dashboard/app/page-list.ts', import.meta.url), 'utf8')
  const ids = Array.from(list.matchAll(/\bid: '([^']+)'/g), ([, id]) => id!)
  t.ok(ids.length > 5)
  t.same(
    ids.filter(id => !ownAddresses.has(id) || !ownPages.has(id)),
    [],
    'every page has its address for itself',
  )
})
