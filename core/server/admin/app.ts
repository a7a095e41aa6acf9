import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { H3, H3Event } from 'h3'
import { AdminAdmission } from '../../admission/admin-admission.ts'
import { readAdmin } from '../../admission/read-admin.ts'
import type { Admin, AdminAuthenticator, AdminRoute } from '../../contracts/admin-route.ts'
import { hasRole, type AdminRole } from '../../contracts/admin-token-store.ts'
import type { Reply } from '../../contracts/route.ts'
import { asGatewayError, GatewayError, PluginError } from '../../foundation/errors.ts'
import { Ids } from '../../foundation/ids.ts'
import { describeError, describePluginError, Logger } from '../../foundation/logger.ts'
import { wire, type Dependencies } from '../../framework/container.ts'
import { AdminAuthenticators, AdminHosts, AdminRoutes } from '../../framework/extension-points.ts'
import type { Entry } from '../../framework/registry.ts'
import { Settings } from '../../framework/settings.ts'
import { errorReply } from '../error-reply.ts'
import { LiveBodies } from '../live-bodies.ts'
import { otherMethods } from '../other-methods.ts'
import { unknownPath } from '../unknown-path.ts'
import { OpenExchange } from './exchange.ts'
import { checkHost, networks, type AdminReach } from './reach.ts'
import { adminResponse, toResponse } from './reply.ts'
import { LiveAdminServices } from './services.ts'

// h3 is loaded with the first request, because it would slow down every start.
const require = createRequire(import.meta.url)

const dependencies = {
  routes: AdminRoutes,
  authenticators: AdminAuthenticators,
  hosts: AdminHosts,
  admission: AdminAdmission,
  services: LiveAdminServices,
  bodies: LiveBodies,
  settings: Settings,
  ids: Ids,
  log: Logger,
}

const nowhereElse: AdminReach = { hosts: [], trustedProxies: [] }

interface Served {
  readonly h3: H3
  readonly listener: (message: IncomingMessage, response: ServerResponse) => unknown
}

/** Serves the admin routes, and nothing of the public API. Pages of other origins cannot call it: it has no CORS. */
export class AdminApp {
  readonly #parts: Dependencies<typeof dependencies>
  #served: Served | undefined
  #trusted = networks([])

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    this.#parts = parts
  }

  get h3(): H3 {
    return this.#serving.h3
  }

  /** For `node:http` and `node:https`. */
  listener({ hosts, trustedProxies }: AdminReach = nowhereElse): (message: IncomingMessage, response: ServerResponse) => void {
    const known = new Set(
      [...hosts, ...this.#parts.hosts.values().map(({ name }) => name)].map(host => host.toLowerCase().replaceAll(/[[\]]/g, '')),
    )
    this.#trusted = networks(trustedProxies)
    return (message, response) => {
      try {
        checkHost(message, known)
      } catch (refusal) {
        return refuse(response, refusal as GatewayError)
      }
      void this.#serving.listener(message, response)
    }
  }

  get #serving(): Served {
    if (this.#served) return this.#served
    const parts = require('../h3.ts') as typeof import('../h3.ts')
    const routes = this.#parts.routes.values()
    const h3 = new parts.H3({
      silent: true,
      onError: error => toResponse(errorReply(asGatewayError(error.unhandled ? error.cause : unreadable(error.status)))),
    })
    for (const route of routes) this.#add(h3, route)
    const plain = routes.map(({ method, path }) => ({ method, path, auth: 'none' as const, handle: never }))
    for (const [path, sharing] of Map.groupBy(plain, ({ path }) => path)) this.#refuse(h3, path, otherMethods(path, sharing))
    this.#refuse(h3, '/**', unknownPath(plain))
    return (this.#served = { h3, listener: parts.toNodeHandler(h3) as Served['listener'] })
  }

  #add(h3: H3, route: AdminRoute): void {
    const serve = (event: H3Event): Promise<Response> => this.#serve(event, exchange => this.#handle(route, exchange), route)
    h3.on(route.method, route.path, serve)
    if (route.method === 'GET') h3.on('HEAD', route.path, serve)
  }

  /** Only callers with a token learn which paths there are. */
  #refuse(h3: H3, path: string, route: { handle(exchange: never, services: never): unknown }): void {
    h3.all(path, event =>
      this.#serve(event, async exchange => {
        exchange.admitted(await this.#admit(exchange))
        return toResponse(route.handle(exchange as never, undefined as never) as Reply, exchange.id)
      }),
    )
  }

  async #handle(route: AdminRoute, exchange: OpenExchange): Promise<Response> {
    if (route.role !== 'none') {
      const admin = await this.#admit(exchange)
      checkRole(admin, route, route.role)
      exchange.admitted(admin)
    }
    const reply: unknown = await route.handle(exchange, this.#parts.services)
    const blame = (fault: string, cause?: unknown): PluginError =>
      new PluginError(this.#pluginOf(route), `returned a reply for ${nameOf(route)} that cannot be sent: ${fault}`, { cause })
    return adminResponse(reply, exchange.id, blame)
  }

  /** By its token. Without one, it is who a plugin says that it is. */
  async #admit({ id, request, address }: OpenExchange): Promise<Admin> {
    const { admission, authenticators } = this.#parts
    if (!request.headers.has('authorization'))
      for (const entry of authenticators.entries()) {
        const admin = await this.#ask(entry, id, request)
        if (admin) return admin
      }
    return await admission.admit(request.headers, address)
  }

  /** Throws a 503 if the plugin fails, or says something else than who calls. */
  async #ask({ contribution, name, plugin }: Entry<AdminAuthenticator>, id: string, request: Request): Promise<Admin | undefined> {
    const { services, log } = this.#parts
    try {
      const given: unknown = await contribution.admit(request, services)
      if (given === undefined || given === null) return undefined
      const admin = readAdmin(given)
      if (typeof admin === 'string') throw new PluginError(plugin, `returned an admin from admit${admin}`)
      return admin
    } catch (thrown) {
      const error = thrown instanceof GatewayError ? thrown : unknownCaller(thrown)
      if (error.status >= 500)
        log.error('an admin authenticator failed', { request: id, plugin, authenticator: name, ...describePluginError(thrown, true, true) })
      throw error
    }
  }

  /** `route`: that of a plugin. */
  async #serve(event: H3Event, handle: (exchange: OpenExchange) => Promise<Response>, route?: AdminRoute): Promise<Response> {
    const { ids, settings, bodies, log } = this.#parts
    const exchange = new OpenExchange(
      ids.make('adm'),
      event.req as Request,
      event.context.params ?? {},
      log,
      settings.maxBodyBytes,
      bodies,
      this.#trusted,
    )
    try {
      return await handle(exchange)
    } catch (thrown) {
      const error = asAdminError(thrown)
      if (error.status >= 500)
        log.error('an admin request failed', {
          request: exchange.id,
          status: error.status,
          ...(thrown instanceof GatewayError || !route
            ? describeError(error.cause ?? error)
            : { plugin: this.#pluginOf(route), route: nameOf(route), ...describePluginError(thrown, true) }),
        })
      const reply = errorReply(error)
      return toResponse({ ...reply, headers: { ...reply.headers, ...error.headers } }, exchange.id)
    } finally {
      exchange.end()
    }
  }

  #pluginOf(route: AdminRoute): string {
    return this.#parts.routes.pluginOf(nameOf(route)) ?? 'unknown'
  }
}

/** Operators learn which failure it was: a database and the system give a code, such as `ECONNREFUSED`; mistakes in the gateway do not. */
function asAdminError(thrown: unknown): GatewayError {
  const { code } = Object(thrown) as { readonly code?: unknown }
  if (thrown instanceof GatewayError || typeof code !== 'string' || code.startsWith('ERR_')) return asGatewayError(thrown)
  const message = `A store of the gateway failed (${code}). Try again when it works. The request id is in the x-request-id header.`
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause: thrown })
}

function checkRole(admin: Admin, { reach }: AdminRoute, least: AdminRole): void {
  if (!hasRole(admin, least)) throw forbidden(`This needs the role ${least}, and this admin token has the role ${admin.role}.`)
  if (reach === 'all' && admin.org !== undefined)
    throw forbidden('This concerns the whole gateway, and this admin token is for one organization only.')
}

/** The name of a route in its registry. */
function nameOf({ method, path }: AdminRoute): string {
  return `${method} ${path}`
}

function unknownCaller(cause: unknown): GatewayError {
  const message = 'The gateway could not tell who you are. Try again, or send an admin token.'
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
}

function forbidden(message: string): GatewayError {
  return new GatewayError({ status: 403, type: 'permission_error', code: 'role_not_sufficient', message })
}

function unreadable(status: number): GatewayError {
  const message = 'The URL of this request is not valid. Check its percent-encoding.'
  return new GatewayError({ status, type: 'invalid_request_error', code: 'invalid_url', message })
}

function never(): never {
  throw new Error('not a route')
}

function refuse(response: ServerResponse, refusal: GatewayError): void {
  const { status, headers, body } = errorReply(refusal)
  response.writeHead(status, { ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).end(body)
}
