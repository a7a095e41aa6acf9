import { Admission } from '../admission/admit.ts'
import { Permissions } from '../admission/permissions.ts'
import { shuttingDown } from '../call/live-operations.ts'
import { LiveAnswers } from '../call/live-answers.ts'
import { Catalog } from '../contracts/catalog.ts'
import type { OpenScope, ScopeOpening } from '../contracts/request-scope.ts'
import type { GatewayServices, Reply, Route } from '../contracts/route.ts'
import { Decisions } from '../decisions/decisions.ts'
import { Clock } from '../foundation/clock.ts'
import { asGatewayError, GatewayError, PluginError } from '../foundation/errors.ts'
import { Ids } from '../foundation/ids.ts'
import type { JsonObject } from '../foundation/json.ts'
import { describeError, describePluginError, Logger } from '../foundation/logger.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Routes } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import { Settings, type Cors } from '../framework/settings.ts'
import { Generation } from '../generation/generation.ts'
import { History } from '../generation/history.ts'
import { checkMediaAddresses } from '../generation/media-addresses.ts'
import { Reach } from '../guards/reach.ts'
import { RecordQueue } from '../records/queue.ts'
import { RecordDraft } from '../records/record.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { allowedHosts } from '../upstream/media/media-address.ts'
import type { Channel, HeaderReader } from './channel.ts'
import { HttpExchange } from './exchange.ts'
import { FollowingScope } from './following-scope.ts'
import { Heartbeat } from './heartbeat.ts'
import { Retrievals } from '../retrieval/retrievals.ts'
import { LiveBodies } from './live-bodies.ts'
import type { Mount, MountedRoute, Refusal } from './mount.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import { LiveScope, mayShow } from './scope.ts'
import { sessionIn } from './session-header.ts'

const dependencies = {
  routes: Routes,
  admission: Admission,
  permissions: Permissions,
  reach: Reach,
  generation: Generation,
  decisions: Decisions,
  retrievals: Retrievals,
  history: History,
  answers: LiveAnswers,
  catalog: Catalog,
  records: RecordQueue,
  heartbeat: Heartbeat,
  bodies: LiveBodies,
  settings: Settings,
  clock: Clock,
  ids: Ids,
  log: Logger,
}

/** A route of a plugin, or what stands in for one. */
interface PublicRoute extends Route {
  readonly isRefusal?: true
  /** Of a refusal: the route whose path, or a path below, was asked for. */
  readonly near?: MountedRoute
}

type Opened = Pick<ScopeOpening, 'idPrefix' | 'method' | 'path'> & { readonly surface: string | null | undefined }

/** The public API: callers have API keys, and every request ends in one record. */
export class PublicApi implements Mount<PublicRoute, HttpExchange> {
  readonly routes: Registry<Route>
  readonly isDirect = true
  readonly cors: Cors | undefined
  readonly bodies = 'a string or the stream that exchange.stream() returned'
  readonly failure = 'a request failed'
  readonly services: GatewayServices
  readonly #parts: Dependencies<typeof dependencies>
  readonly #surfaces: ReadonlyMap<object, string | null>
  #isStopping = false

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    const { routes, admission, settings, permissions, reach, generation, decisions, retrievals, history, answers, catalog, clock, ids } =
      parts
    const mediaHosts = allowedHosts(settings.mediaHosts)
    this.#parts = parts
    this.routes = routes
    this.cors = settings.cors
    this.#surfaces = new Map(routes.entries().map(({ contribution, plugin }) => [contribution, surfaceOf(contribution, plugin)]))
    this.services = {
      openScope: opening => this.openScope(opening),
      generate: (scope, request, sink, envelope) => generation.start(scope, request, sink, envelope),
      countInput: (scope, request, envelope) => generation.countInput(scope, request, envelope),
      decide: (scope, request, bodyBytes) => decisions.decide(scope, request, bodyBytes),
      embed: (scope, request, bodyBytes) => retrievals.embed(scope, request, bodyBytes),
      rerank: (scope, request, bodyBytes) => retrievals.rerank(scope, request, bodyBytes),
      readmit: caller => admission.readmit(caller),
      permits: (caller, endpoint) => permissions.allows(caller, endpoint),
      reach: scope => reach.of(scope),
      holdMemory: (owner, evict) => answers.hold(owner, evict),
      responses: history,
      storeTimeoutMs: settings.storeTimeoutMs,
      checkMedia: items => checkMediaAddresses(items, mediaHosts),
      toolTypes: generation.toolTypes,
      catalog,
      clock,
      ids,
    }
  }

  refuse(refusal: Refusal): PublicRoute {
    return { ...refusal, method: 'GET', auth: 'none', isRefusal: true }
  }

  open(route: PublicRoute, channel: Channel, params: Readonly<Record<string, string>>, path: string): HttpExchange {
    const { clock, ids, records } = this.#parts
    const id = ids.make(route.idPrefix ?? 'req')
    const surface = this.#surfaces.get(route.near ?? route) ?? null
    return new HttpExchange(this.#parts, id, channel, params, new RecordDraft(clock, records, id, surface, channel.method, path))
  }

  /** Opens the scope of a request that no HTTP route received. */
  begin({ idPrefix, surface, method, path }: Opened, followed?: AbortSignal): LiveScope {
    const { clock, ids, log, records } = this.#parts
    const id = ids.make(idPrefix ?? 'req')
    const record = new RecordDraft(clock, records, id, surface ?? null, method, path)
    return followed ? new FollowingScope(id, log, record, followed) : new LiveScope(id, log, record)
  }

  /** Plugins can open no more scopes: their records would come too late. */
  stop(): void {
    this.#isStopping = true
  }

  /** For a request that a plugin got elsewhere. Throws a 401 or 503, which is recorded, unless the gateway is shutting down. */
  async openScope({ authorization, method, path, surface, session, traceparent, idPrefix, signal }: ScopeOpening): Promise<OpenScope> {
    if (this.#isStopping) throw shuttingDown()
    // Stores refuse such a record, and others that they write together with it.
    if (
      typeof method !== 'string' ||
      typeof path !== 'string' ||
      typeof (surface ?? '') !== 'string' ||
      typeof (session ?? '') !== 'string' ||
      typeof (traceparent ?? '') !== 'string'
    )
      throw new TypeError('openScope expects the strings method and path and, if they are given, surface, session and traceparent')
    const scope = this.begin({ idPrefix, surface, method, path }, signal)
    if (traceparent !== undefined) scope.traceHeaders = { get: () => traceparent }
    try {
      const admitted = this.admitted(scope, { get: name => (name === 'authorization' ? authorization : null) })
      if (isPending(admitted)) await admitted
      scope.sentSession = session
      return scope
    } catch (thrown) {
      const error = this.asError(thrown)
      const { status } = error
      if (status >= 500)
        this.#parts.log.error(this.failure, { request: scope.id, status, ...this.failureFields(thrown, undefined, scope, undefined) })
      scope.close(error)
      throw error
    }
  }

  admit({ auth, keyParameter }: Route, exchange: HttpExchange): Maybe<void> {
    const inQuery = keyParameter === undefined ? undefined : exchange.query.getAll(keyParameter).filter(Boolean)
    if (auth !== 'none') return this.admitted(exchange, exchange.headers, inQuery)
    return this.#parts.records.room()
  }

  /** Waits for room in the records. Throws a 401 or 503 unless these headers or parameters have a valid key. */
  admitted(scope: LiveScope, headers: HeaderReader, inQuery?: readonly string[]): Maybe<void> {
    const room = this.#parts.records.room()
    return room ? room.then(() => this.#authenticate(scope, headers, inQuery)) : this.#authenticate(scope, headers, inQuery)
  }

  /** The 401 for a key that is accepted no longer. A store that is not available says nothing about it. */
  async refusal(headers: HeaderReader): Promise<GatewayError | undefined> {
    try {
      await this.#parts.admission.admit(headers, { key: undefined })
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.status === 401) return thrown
    }
    return undefined
  }

  #authenticate(scope: LiveScope, headers: HeaderReader, inQuery: readonly string[] | undefined): Maybe<void> {
    const { admission, settings } = this.#parts
    scope.sentSession = sessionIn(headers, settings.sessionHeaders)
    const caller = admission.admit(headers, scope.record, inQuery)
    return isPending(caller) ? Promise.resolve(caller).then(found => scope.admitted(found)) : scope.admitted(caller)
  }

  handle(route: Route, exchange: HttpExchange): Maybe<Reply> {
    return route.handle(exchange, this.services)
  }

  headersOf(route: Route, { windows }: HttpExchange): Readonly<Record<string, string>> | undefined {
    if (!windows) return undefined
    const now = this.#parts.clock.now()
    try {
      return route.rateLimitHeaders?.(windows, now) ?? rateLimitHeaders(windows, now)
    } catch (thrown) {
      const plugin = this.routes.pluginOf(`${route.method} ${route.path}`)
      this.#parts.log.error('could not make the headers about rate limits', { plugin, ...describePluginError(thrown, true, false) })
      return undefined
    }
  }

  asError(thrown: unknown): GatewayError {
    return asGatewayError(thrown)
  }

  failed({ record }: LiveScope, error: GatewayError): void {
    record.failed(error)
  }

  /** The plugin at fault need not be the route's. */
  failureFields(thrown: unknown, _route: unknown, scope: LiveScope, plugin: string | undefined): JsonObject {
    const known = thrown instanceof GatewayError ? (thrown.cause ?? thrown) : thrown
    if (known instanceof PluginError) return { plugin: known.plugin, ...describePluginError(known, true, mayShow(scope)) }
    if (thrown instanceof GatewayError) return describeError(known)
    return { plugin, ...describePluginError(thrown, true, mayShow(scope)) }
  }

  mayShow(exchange: HttpExchange): boolean {
    return mayShow(exchange)
  }

  close({ auth, isRefusal }: PublicRoute, exchange: HttpExchange, { status, body }: Reply): void {
    const { streamed } = exchange
    if (streamed && streamed !== body) streamed.leave()
    exchange.close(status, auth !== 'none' || isRefusal === true)
  }
}

/** The surface that the requests of a route or protocol are recorded under. */
export function surfaceOf({ surface }: Pick<Route, 'surface'>, plugin: string): string | null {
  return surface === undefined ? plugin : surface
}
