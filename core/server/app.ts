import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { H3, H3Event, HTTPResponse } from 'h3'
import { Admission } from '../admission/admit.ts'
import { Permissions } from '../admission/permissions.ts'
import { Clock } from '../foundation/clock.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Catalog } from '../contracts/catalog.ts'
import type { GatewayServices, Reply, Route } from '../contracts/route.ts'
import { Decisions } from '../decisions/decisions.ts'
import { asGatewayError, GatewayError, PluginError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import { isPending } from '../runtime/pending.ts'
import { Routes } from '../framework/extension-points.ts'
import { Reach } from '../guards/reach.ts'
import { Generation } from '../generation/generation.ts'
import { History } from '../generation/history.ts'
import { Ids } from '../foundation/ids.ts'
import { describeError, describePluginError, Logger } from '../foundation/logger.ts'
import { RecordQueue } from '../records/queue.ts'
import { RecordDraft } from '../records/record.ts'
import { Settings } from '../framework/settings.ts'
import { errorReply } from './error-reply.ts'
import { HttpExchange } from './exchange.ts'
import { gatewayHeaders } from './gateway-headers.ts'
import { Heartbeat } from './heartbeat.ts'
import type { Incoming } from './incoming.ts'
import { LiveBodies } from './live-bodies.ts'
import { NodeIncoming } from './node-incoming.ts'
import { writeReply } from './node-reply.ts'
import { otherMethods } from './other-methods.ts'
import { replyFault } from './reply-fault.ts'
import { unknownPath } from './unknown-path.ts'
import { WebIncoming } from './web-incoming.ts'

const require = createRequire(import.meta.url)

const dependencies = {
  routes: Routes,
  admission: Admission,
  permissions: Permissions,
  reach: Reach,
  generation: Generation,
  decisions: Decisions,
  history: History,
  catalog: Catalog,
  records: RecordQueue,
  heartbeat: Heartbeat,
  bodies: LiveBodies,
  settings: Settings,
  clock: Clock,
  ids: Ids,
  log: Logger,
}

const noParams: Readonly<Record<string, string>> = {}

/** h3 with all routes, and what sends its replies. */
interface ThroughH3 {
  readonly h3: H3
  readonly webReply: typeof import('./web-reply.ts').webReply
  readonly listener: HttpApp['listener']
  /** How many routes h3 has from here. */
  readonly ownRoutes: number
}

/**
 * Serves routes, with authentication per route, one error reply for every throw, and one record per request. There are two ways in, and
 * one path from there on: `listener` takes a request that matches a route exactly straight from Node.js, because the objects of h3 cost
 * a quarter of what such a request takes. Everything else goes through h3.
 */
export class HttpApp {
  /** For `http.createServer` and `https.createServer`. */
  readonly listener: (message: IncomingMessage, response: ServerResponse) => void
  readonly #parts: Dependencies<typeof dependencies>
  readonly #services: GatewayServices
  /** Answers every path that no route serves. */
  readonly #unknown: Route
  /** Routes without parameters, by path and method. */
  readonly #exact = new Map<string, ReadonlyMap<string, Route>>()
  #throughH3: ThroughH3 | undefined

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    const { routes, permissions, reach, generation, decisions, history, catalog, clock, ids } = parts
    this.#parts = parts
    this.#services = {
      generate: (scope, request, sink) => generation.start(scope, request, sink),
      countInput: (scope, request) => generation.countInput(scope, request),
      decide: (scope, request, bodyBytes) => decisions.decide(scope, request, bodyBytes),
      permits: (caller, endpoint) => permissions.allows(caller, endpoint),
      reach: scope => reach.of(scope),
      responses: history,
      toolTypes: generation.toolTypes,
      catalog,
      clock,
      ids,
    }
    this.#unknown = unknownPath(routes.values())
    for (const [path, sharing] of Map.groupBy(routes.values().filter(isExact), ({ path }) => path))
      this.#exact.set(path, new Map(sharing.map(route => [route.method, route])))
    this.listener = (message, response) => {
      const route = this.#exactly(message)
      if (route) void this.#serveNode(route, message, response)
      else void this.#whatNeedsH3.listener(message, response)
    }
  }

  /** What is added to it applies to every request. */
  get h3(): H3 {
    return this.#whatNeedsH3.h3
  }

  get #whatNeedsH3(): ThroughH3 {
    return (this.#throughH3 ??= this.#loadH3())
  }

  #loadH3(): ThroughH3 {
    const parts = require('./h3.ts') as typeof import('./h3.ts')
    const { webReply } = parts
    const { routes, settings } = this.#parts
    const h3 = new parts.H3({
      silent: true,
      onError: (error, { req }) => webReply(req, errorReply(error.unhandled ? asGatewayError(error.cause) : unreadable(error))),
    })
    if (settings.cors) h3.use(parts.cors(settings.cors))
    // `health` must win over `:id`: h3 matches routes without parameters first.
    for (const route of routes.values()) this.#add(h3, route)
    for (const [path, sharing] of Map.groupBy(routes.values(), ({ path }) => path)) this.#addOtherMethods(h3, path, sharing)
    for (const route of routes.values()) if (route.error) this.#refuseBelow(h3, route)
    h3.all('/**', event => this.#serve(this.#unknown, event, true))
    return { h3, webReply, listener: parts.toNodeHandler(h3) as ThroughH3['listener'], ownRoutes: h3['~routes'].length }
  }

  #exactly({ method, url }: IncomingMessage): Route | undefined {
    if (this.#isExtended()) return undefined
    return this.#exact.get(pathOf(url!))?.get(method!)
  }

  /** True if `cors`, a plugin or an embedding program has added middleware, hooks or routes to h3. They apply to every request. */
  #isExtended(): boolean {
    if (this.#parts.settings.cors) return true
    if (!this.#throughH3) return false
    const { h3, ownRoutes } = this.#throughH3
    return h3['~middleware'].length > 0 || h3['~routes'].length !== ownRoutes || !!h3.config.onRequest || !!h3.config.onResponse
  }

  #add(h3: H3, route: Route): void {
    const isRecorded = route.auth !== 'none'
    const serve = (event: H3Event): Promise<HTTPResponse> =>
      isServed(route, paramsOf(event)) ? this.#serve(route, event, isRecorded) : this.#serve(this.#unknown, event, true)
    h3.on(route.method, route.path, serve)
    // HEAD: the same headers, without the body.
    if (route.method === 'GET') h3.on('HEAD', route.path, serve)
  }

  #addOtherMethods(h3: H3, path: string, routes: readonly Route[]): void {
    const route = otherMethods(path, routes)
    h3.all(path, event => this.#serve(routes.every(each => isServed(each, paramsOf(event))) ? route : this.#unknown, event, true))
  }

  /** Unknown paths below a surface get errors in its format. */
  #refuseBelow(h3: H3, surface: Route): void {
    const route: Route = { ...this.#unknown, error: error => surface.error!(error) }
    h3.all(`${surface.path}/**`, event => this.#serve(route, event, true))
  }

  async #serve(route: Route, event: H3Event, isRecorded: boolean): Promise<HTTPResponse> {
    const { req } = event
    const { webReply } = this.#whatNeedsH3
    const exchange = this.#exchange(route, new WebIncoming(req as Request), paramsOf(event), event.url.pathname)
    let reply = await this.#reply(route, exchange)
    let response: HTTPResponse
    try {
      response = webReply(req, reply, exchange.id)
    } catch (error) {
      response = webReply(req, (reply = this.#unsendable(route, exchange, error)), exchange.id)
    }
    this.#close(exchange, reply, isRecorded)
    return response
  }

  /** Never rejects. */
  async #serveNode(route: Route, message: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = this.#exchange(route, new NodeIncoming(message, response), noParams, pathOf(message.url!))
    let reply = await this.#reply(route, exchange)
    try {
      writeReply(response, reply, exchange.id)
    } catch (error) {
      writeReply(response, (reply = this.#unsendable(route, exchange, error)), exchange.id)
    }
    this.#close(exchange, reply, route.auth !== 'none')
  }

  async #reply(route: Route, exchange: HttpExchange): Promise<Reply> {
    try {
      const room = this.#parts.records.room()
      if (room) await room
      if (route.auth !== 'none') {
        const caller = this.#parts.admission.admit(exchange.headers, exchange.record)
        exchange.admitted(isPending(caller) ? await caller : caller)
      }
      const reply = await route.handle(exchange, this.#services)
      const fault = replyFault(reply, exchange.streamed)
      return fault === undefined ? reply : this.#failed(route, exchange, this.#blame(route, fault))
    } catch (thrown) {
      return this.#failed(route, exchange, thrown)
    }
  }

  #failed(route: Route, exchange: HttpExchange, thrown: unknown): Reply {
    const error = this.#hinted(asGatewayError(thrown))
    if (error.status >= 500)
      this.#parts.log.error('a request failed', {
        request: exchange.id,
        status: error.status,
        ...this.#described(route, exchange, thrown),
      })
    exchange.record.errorCode ??= error.code
    const reply = this.#formatted(route, exchange, error)
    const { headers, asked } = error
    return headers || asked ? { ...reply, headers: { ...reply.headers, ...headers, ...(asked && gatewayHeaders(asked)) } } : reply
  }

  /** The plugin at fault need not be the route's. */
  #described(route: Route, exchange: HttpExchange, thrown: unknown): JsonObject {
    const known = thrown instanceof GatewayError ? (thrown.cause ?? thrown) : thrown
    if (known instanceof PluginError) return { plugin: known.plugin, ...describePluginError(known, true, mayShow(exchange)) }
    if (thrown instanceof GatewayError) return describeError(known)
    return { plugin: this.#pluginOf(route), ...describePluginError(thrown, true, mayShow(exchange)) }
  }

  /** Without the endpoint of a plugin, its path would be a 404. */
  #hinted(error: GatewayError): GatewayError {
    const { hint, message, cause } = error
    return hint && this.#exact.has(hint.path) ? new GatewayError({ ...error, message: `${message} ${hint.text}`, cause }) : error
  }

  #formatted(route: Route, exchange: HttpExchange, error: GatewayError): Reply {
    try {
      const reply = route.error?.(error)
      if (reply && replyFault(reply, undefined) === undefined) return reply
    } catch (thrown) {
      this.#parts.log.error('an error could not be formatted', {
        plugin: this.#pluginOf(route),
        ...describePluginError(thrown, true, mayShow(exchange)),
      })
    }
    return errorReply(error)
  }

  /** The message of `cause` quotes the value of a header, which may be content. The route's own errors may have the same header. */
  #unsendable(route: Route, exchange: HttpExchange, cause: unknown): Reply {
    const error = asGatewayError(this.#blame(route, 'expected the names and values of headers to be valid HTTP', cause))
    this.#failed(route, exchange, error.cause)
    return errorReply(error)
  }

  #blame(route: Route, fault: string, cause?: unknown): PluginError {
    const problem = `returned a reply for ${route.method} ${route.path} that cannot be sent: ${fault}`
    return new PluginError(this.#pluginOf(route) ?? 'unknown', problem, { cause })
  }

  #pluginOf({ method, path }: Route): string | undefined {
    return this.#parts.routes.pluginOf(`${method} ${path}`)
  }

  #exchange({ idPrefix = 'req' }: Route, incoming: Incoming, params: Readonly<Record<string, string>>, path: string): HttpExchange {
    const { clock, ids, records } = this.#parts
    const id = ids.make(idPrefix)
    return new HttpExchange(this.#parts, id, incoming, params, new RecordDraft(clock, records, id, incoming.method, path))
  }

  /** A generation outlives the reply: what became of it is known when it has finished. */
  #close(exchange: HttpExchange, { status, body }: Reply, isRecorded: boolean): void {
    const { work, record, cancellation, streamed } = exchange
    if (streamed && streamed !== body) streamed.leave()
    const close = (status: number): void => {
      exchange.end()
      if (isRecorded) record.close(status)
    }
    if (!work) return close(cancellation.aborted ? 499 : status)
    void work.then(outcome => close(outcome instanceof GatewayError && outcome.status === 499 ? 499 : status))
  }
}

function isExact({ path, serves }: Route): boolean {
  return /^[\w./~-]+$/.test(path) && !serves
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? url : url.slice(0, mark)
}

function paramsOf({ context }: H3Event): Readonly<Record<string, string>> {
  return context.params ?? noParams
}

function isServed({ serves }: Route, params: Readonly<Record<string, string>>): boolean {
  return !serves || serves(params)
}

/** For a URL that h3 itself rejects before any route, because its encoding is invalid. */
function unreadable({ status }: { readonly status: number }): GatewayError {
  return new GatewayError({
    status,
    type: 'invalid_request_error',
    code: 'invalid_url',
    message: 'The URL of this request is not valid. Check its percent-encoding.',
  })
}

/** True if the log may show what was thrown: the policy of the key decides, if there is one. */
function mayShow({ record: { key, caller } }: HttpExchange): boolean {
  return caller ? caller.policy.logging.value : key === undefined
}
