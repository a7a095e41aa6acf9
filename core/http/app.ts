import { H3, HTTPResponse, type H3Event } from 'h3'
import { Admission } from '../admission/admit.ts'
import { Clock } from '../foundation/clock.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Catalog } from '../contracts/catalog.ts'
import type { GatewayServices, Reply, Route } from '../contracts/route.ts'
import { Decisions } from '../decisions/decisions.ts'
import { asGatewayError, GatewayError } from '../foundation/errors.ts'
import { Routes } from '../framework/extension-points.ts'
import { Generation } from '../generation/generation.ts'
import { History } from '../generation/history.ts'
import { Ids } from '../foundation/ids.ts'
import { describeError, Logger } from '../foundation/logger.ts'
import { RecordQueue } from '../records/queue.ts'
import { RecordDraft } from '../records/record.ts'
import { Settings } from '../framework/settings.ts'
import { cors } from './cors.ts'
import { errorReply } from './error-reply.ts'
import { HttpExchange } from './exchange.ts'
import { Heartbeat } from './heartbeat.ts'
import { LiveBodies } from './live-bodies.ts'
import { otherMethods } from './other-methods.ts'
import { CoalescedBody } from './stream-body.ts'
import { unknownPath } from './unknown-path.ts'

const dependencies = {
  routes: Routes,
  admission: Admission,
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

/** Maps routes to h3, with authentication per route, one error reply for every throw, and one record per request. */
export class HttpApp {
  readonly h3: H3
  readonly #parts: Dependencies<typeof dependencies>
  readonly #services: GatewayServices
  /** Answers every path that no route serves. */
  readonly #unknown: Route

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    const { routes, generation, decisions, history, catalog, settings, clock, ids } = parts
    this.#parts = parts
    this.#services = {
      generate: (scope, request, sink) => generation.start(scope, request, sink),
      countInput: (scope, request) => generation.countInput(scope, request),
      decide: (scope, request, bodyBytes) => decisions.decide(scope, request, bodyBytes),
      responses: history,
      catalog,
      clock,
      ids,
    }
    this.#unknown = unknownPath(routes.values())
    this.h3 = new H3({
      silent: true,
      onError: error => toResponse(errorReply(error.unhandled ? asGatewayError(error.cause) : unreadable(error)), {}),
    })
    if (settings.cors) this.h3.use(cors(settings.cors))
    // `health` must win over `:id`: h3 matches routes without parameters first.
    for (const route of routes.values()) this.#add(route)
    for (const [path, sharing] of Map.groupBy(routes.values(), ({ path }) => path)) this.#addOtherMethods(path, sharing)
    for (const route of routes.values()) if (route.error) this.#refuseBelow(route)
    this.h3.all('/**', event => this.#serve(this.#unknown, event, true))
  }

  #add(route: Route): void {
    const isRecorded = route.auth !== 'none'
    const serve = (event: H3Event): Promise<HTTPResponse> =>
      isServed(route, event) ? this.#serve(route, event, isRecorded) : this.#serve(this.#unknown, event, true)
    this.h3.on(route.method, route.path, serve)
    // HEAD: the same headers, without the body.
    if (route.method === 'GET') this.h3.on('HEAD', route.path, serve)
  }

  #addOtherMethods(path: string, routes: readonly Route[]): void {
    const route = otherMethods(path, routes)
    this.h3.all(path, event => this.#serve(routes.every(each => isServed(each, event)) ? route : this.#unknown, event, true))
  }

  /** Unknown paths below a surface get errors in its format. */
  #refuseBelow(surface: Route): void {
    const route: Route = { ...this.#unknown, error: error => surface.error!(error) }
    this.h3.all(`${surface.path}/**`, event => this.#serve(route, event, true))
  }

  async #serve(route: Route, event: H3Event, isRecorded: boolean): Promise<HTTPResponse> {
    const exchange = this.#exchange(route, event)
    const reply = await this.#reply(route, exchange)
    this.#close(exchange, reply.status, isRecorded)
    if (event.req.method === 'HEAD' && reply.body instanceof CoalescedBody) reply.body.end()
    return toResponse(reply, { 'x-request-id': exchange.id })
  }

  async #reply(route: Route, exchange: HttpExchange): Promise<Reply> {
    try {
      const room = this.#parts.records.room()
      if (room) await room
      if (route.auth !== 'none') exchange.admitted(await this.#parts.admission.admit(exchange.request.headers))
      return await route.handle(exchange, this.#services)
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.status >= 500)
        this.#parts.log.error('a request failed', {
          request: exchange.id,
          status: error.status,
          ...(!(thrown instanceof GatewayError) && { plugin: this.#parts.routes.pluginOf(`${route.method} ${route.path}`) }),
          ...describeError(error.cause ?? error),
        })
      exchange.record.errorCode ??= error.code
      const reply = route.error?.(error) ?? errorReply(error)
      return error.headers ? { ...reply, headers: { ...reply.headers, ...error.headers } } : reply
    }
  }

  #exchange({ idPrefix = 'req' }: Route, event: H3Event): HttpExchange {
    const id = this.#parts.ids.make(idPrefix)
    const { pathname } = event.url
    return new HttpExchange({
      id,
      request: event.req as Request,
      params: event.context.params ?? {},
      log: this.#parts.log,
      record: new RecordDraft(this.#parts.clock, this.#parts.records, id, event.req.method, pathname),
      heartbeat: this.#parts.heartbeat,
      maxBodyBytes: this.#parts.settings.maxBodyBytes,
      bodies: this.#parts.bodies,
    })
  }

  /** A generation outlives the reply: what became of it is known when it has finished. */
  #close(exchange: HttpExchange, status: number, isRecorded: boolean): void {
    const { work, record, cancellation } = exchange
    const close = (status: number): void => {
      exchange.end()
      if (isRecorded) record.close(status)
    }
    if (!work) return close(cancellation.aborted ? 499 : status)
    void work.then(outcome => close(outcome instanceof GatewayError && outcome.status === 499 ? 499 : status))
  }
}

function isServed({ serves }: Route, { context }: H3Event): boolean {
  return !serves || serves(context.params ?? {})
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

function toResponse({ status, headers = {}, body }: Reply, extra: Readonly<Record<string, string>>): HTTPResponse {
  if (body instanceof CoalescedBody) {
    body.begin()
    return new HTTPResponse(body.readable, { status, headers: { ...headers, ...extra } })
  }
  // With a known length, the body is sent in one piece instead of chunks.
  const text = (body as string | undefined) ?? ''
  return new HTTPResponse(text || null, { status, headers: { ...headers, ...extra, 'content-length': String(Buffer.byteLength(text)) } })
}
