import type { BlockList } from 'node:net'
import { AdminAdmission } from '../../admission/admin-admission.ts'
import type { AdminRoute } from '../../contracts/admin-route.ts'
import { hasRole } from '../../contracts/admin-token-store.ts'
import { asGatewayError, GatewayError, PluginError } from '../../foundation/errors.ts'
import { Ids } from '../../foundation/ids.ts'
import type { JsonObject } from '../../foundation/json.ts'
import { describeError, describePluginError, Logger } from '../../foundation/logger.ts'
import { wire, type Dependencies } from '../../framework/container.ts'
import { AdminRoutes } from '../../framework/extension-points.ts'
import type { Registry } from '../../framework/registry.ts'
import { Settings } from '../../framework/settings.ts'
import { isPending, type Maybe } from '../../runtime/pending.ts'
import type { Channel } from '../channel.ts'
import { LiveBodies } from '../live-bodies.ts'
import type { Mount, Refusal } from '../mount.ts'
import { WholeResponse } from '../whole-response.ts'
import { Authenticators } from './authenticators.ts'
import { OpenExchange } from './exchange.ts'
import { networks } from './reach.ts'
import { LiveAdminServices } from './services.ts'

const dependencies = {
  routes: AdminRoutes,
  authenticators: Authenticators,
  admission: AdminAdmission,
  services: LiveAdminServices,
  bodies: LiveBodies,
  settings: Settings,
  ids: Ids,
  log: Logger,
}

/** The admin API: callers have admin tokens, and nothing of it leaves a record. Pages of other origins cannot call it: it has no CORS. */
export class AdminApi implements Mount<AdminRoute, OpenExchange> {
  readonly routes: Registry<AdminRoute>
  readonly isDirect = false
  readonly bodies = 'a string. To stream, return a Response'
  readonly failure = 'an admin request failed'
  readonly headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  readonly #parts: Dependencies<typeof dependencies>
  #trusted: BlockList = networks([])

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    this.#parts = parts
    this.routes = parts.routes
  }

  /** The proxies whose `x-forwarded-for` says where a request comes from. */
  trust(proxies: readonly string[]): void {
    this.#trusted = networks(proxies)
  }

  /** Only callers with a token learn which paths there are. */
  refuse(refusal: Refusal): AdminRoute {
    return { ...refusal, method: 'GET', role: 'viewer', reach: 'org' }
  }

  open(_route: AdminRoute, channel: Channel, params: Readonly<Record<string, string>>): OpenExchange {
    return new OpenExchange(this.#parts, this.#parts.ids.make('adm'), channel, params, this.#trusted)
  }

  async admit(route: AdminRoute, exchange: OpenExchange): Promise<void> {
    if (route.role === 'none') return
    const { admission, authenticators } = this.#parts
    const isNamed = exchange.request.headers.has('authorization')
    const known = isNamed ? undefined : await authenticators.admit(exchange.id, exchange.request)
    const admin = known ?? (await admission.admit(exchange.request.headers, exchange.address))
    if (!hasRole(admin, route.role)) throw forbidden(`This needs the role ${route.role}, and this admin token has the role ${admin.role}.`)
    if (route.reach === 'all' && admin.org !== undefined)
      throw forbidden('This concerns the whole gateway, but this admin token is bound to one organization.')
    exchange.admitted(admin)
  }

  handle(route: AdminRoute, exchange: OpenExchange): Maybe<unknown> {
    const returned = route.handle(exchange, this.#parts.services)
    return isPending(returned)
      ? Promise.resolve(returned).then(reply => this.#sendable(reply, route, exchange))
      : this.#sendable(returned, route, exchange)
  }

  /** A web `Response` goes out as it is. */
  #sendable(returned: unknown, { method, path }: AdminRoute, exchange: OpenExchange): unknown {
    if (!(returned instanceof Response)) return returned
    const name = `${method} ${path}`
    if (returned.bodyUsed)
      throw new PluginError(
        this.routes.pluginOf(name) ?? 'unknown',
        `returned a reply for ${name} that cannot be sent: expected a Response whose body is unread`,
      )
    exchange.streamed = new WholeResponse(returned)
    return { status: returned.status, body: exchange.streamed }
  }

  /** Operators learn which failure it was: a database and the system give a code, such as `ECONNREFUSED`; mistakes in the gateway do not. */
  asError(thrown: unknown): GatewayError {
    const { code } = Object(thrown) as { readonly code?: unknown }
    if (thrown instanceof GatewayError || typeof code !== 'string' || code.startsWith('ERR_')) return asGatewayError(thrown)
    const message = `A store of the gateway failed (${code}). Try again later. The request id is in the x-request-id header.`
    return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause: thrown })
  }

  failureFields(thrown: unknown, { method, path }: AdminRoute, _exchange: OpenExchange, plugin: string | undefined): JsonObject {
    if (thrown instanceof GatewayError) return describeError(thrown.cause ?? thrown)
    return { plugin: plugin ?? 'unknown', route: `${method} ${path}`, ...describePluginError(thrown, true) }
  }

  mayShow(): boolean {
    return false
  }

  close(_route: AdminRoute, exchange: OpenExchange): void {
    exchange.end()
  }
}

function forbidden(message: string): GatewayError {
  return new GatewayError({ status: 403, type: 'permission_error', code: 'role_not_sufficient', message })
}
