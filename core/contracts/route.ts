import type { Clock } from '../foundation/clock.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { Ids } from '../foundation/ids.ts'
import { token } from '../foundation/token.ts'
import type { Catalog, Endpoint } from './catalog.ts'
import type { Decided, DecisionRequest } from './decision.ts'
import type { Embedded, EmbeddingRequest } from './embedding.ts'
import type { FinishReason, TokenUsage } from './events.ts'
import type { HeldMemory } from './held-memory.ts'
import type { KeyWindow } from './key-window.ts'
import type { ItemEvent } from './item-events.ts'
import type { Item, MessageItem } from './items.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { GenerationRequest } from './request.ts'
import type { Reranked, RerankRequest } from './rerank.ts'
import type { RequestEnvelope } from './request-envelope.ts'
import type { OpenScope, RequestScope, ScopeOpening } from './request-scope.ts'
import type { RouteTrial } from './route-trial.ts'
import type { StoredResponse } from './response-store.ts'
import type { Caller } from './run-context.ts'

export const routeMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** One method and path of the HTTP API. */
export interface Route {
  /** In upper case. */
  readonly method: (typeof routeMethods)[number]
  /** Such as `/v1/models/**:id`. Matches with and without a trailing slash. */
  readonly path: string
  /** Called for a matching path. Return false, which is a 404, for reserved words in place of a parameter. */
  serves?(params: Readonly<Record<string, string>>): boolean
  /** `key`: core authenticates the request before it calls `handle`. `none`: anyone may call it, and it leaves no record. */
  readonly auth: 'none' | 'key'
  /**
   * The query parameter that may have the API key, for clients that send it in the URL. Headers are read, too. Records, logs and errors show
   * no query.
   */
  readonly keyParameter?: string
  /** Throws a `GatewayError` for errors that the caller should see. Any other throw becomes a 500. It has no time limit: give each wait one. */
  handle(exchange: Exchange, gateway: GatewayServices): Maybe<Reply>
  /** The prefix of its request ids. Default: `req`. */
  readonly idPrefix?: string
  /**
   * The public API that it is part of, as records name it, such as `messages`. Also for other methods of its path, and for paths below it
   * if it has `error`. Null: none. Default: the name of the plugin.
   */
  readonly surface?: string | null
  /** Lets the playground of the admin API try it. Default: it cannot. */
  readonly trial?: RouteTrial
  /**
   * The headers that tell callers how the windows of their key stand: on every reply, errors too, to a request that counted in them. `now` in
   * milliseconds since the epoch. Default: `rateLimitHeaders` of `turnpike/kit`.
   */
  rateLimitHeaders?(windows: readonly KeyWindow[], now: number): Readonly<Record<string, string>>
  /** The path below which unknown paths get errors of this route, such as `/v1beta`. Default: its own path, if it has no wildcard. */
  readonly below?: string
  /**
   * Formats errors, including those of paths below this one. `requestId` and `headers` are those of the request. Default: core's error body,
   * which also stands in for undefined.
   */
  error?(error: GatewayError, requestId: string, headers: Pick<Headers, 'get'>): Reply | undefined
  /** Paths that callers may expect but no route serves, with a sentence of advice for their 404. Applies to paths below them too. */
  readonly insteadOf?: Readonly<Record<string, string>>
  /** True if the path only answers a 404 that says where it has moved. Hints for unknown paths then do not name it. Default: false. */
  isGone?(): boolean
  /** Describes the route for OpenAPI. Called once, when the document is first requested. */
  describe?(): RouteDescription
}

/** Schemas are JSON Schema 2020-12, and refer to those in `schemas` as `#/components/schemas/<name>`. */
export interface RouteDescription {
  /** The title of the operation, such as `Create a response`. */
  readonly summary: string
  /** Path parameters by name. Those not listed accept any text. */
  readonly path?: Readonly<Record<string, ParameterDescription>>
  /** Query parameters by name. */
  readonly query?: Readonly<Record<string, ParameterDescription>>
  /** The schema of the JSON body. Absent if the route reads no body. */
  readonly request?: JsonObject
  /** True if the route also takes requests without a body. Default: false. */
  readonly isRequestOptional?: boolean
  /** By HTTP status. */
  readonly replies: Readonly<Record<number, ReplyDescription>>
  /** Names are shared by the whole document: equal names must mean equal objects. Core supplies `Error` and `PolicyRefusal`. */
  readonly schemas?: Readonly<Record<string, JsonObject>>
}

/** A parameter or a header, as OpenAPI shows it. */
export interface ParameterDescription {
  /** A sentence for callers. */
  readonly description: string
  /** Of its value. */
  readonly schema: JsonObject
}

/** A reply, as OpenAPI shows it. */
export interface ReplyDescription {
  /** A sentence for callers. */
  readonly description: string
  /** By name, in lower case. */
  readonly headers?: Readonly<Record<string, ParameterDescription>>
  /** Schemas by content type. For an event stream, the schema of one event's data. */
  readonly content?: Readonly<Record<string, JsonObject>>
}

/** Limits for the body that `Exchange.json` reads. */
export interface JsonOptions {
  /** The most members and elements in the whole body. More than the default are safe if nearly all are numbers. Default: 250,000. */
  readonly maxValues?: number | undefined
}

/** One HTTP request. Reading `caller` throws if the route's `auth` is `none`. */
export interface Exchange extends RequestScope {
  /** Its body can be read once: use `json`. */
  readonly request: Request
  /** The headers of the request. Reading one here is cheaper than through `request`. */
  readonly headers: Pick<Headers, 'get'>
  /** The parameters of the path by name, such as `id` of `/v1/models/**:id`. */
  readonly params: Readonly<Record<string, string>>
  /** The query parameters. */
  readonly query: URLSearchParams
  /** Reads the body as JSON, within the size limit. Throws a 400, 413 or 415. */
  json(options?: JsonOptions): Promise<unknown>
  /** The size of the body that `json` read, after decompression. */
  readonly bodyBytes: number | undefined
  /** Creates a streamed body for the reply. */
  stream(): StreamBody
  /**
   * Lets the request outlive its connection: from now on, a client that leaves ends nothing. The record follows when the work on the request
   * is over. Returns a signal that aborts when the client leaves.
   */
  detach(): AbortSignal
}

/** The answer of a route. */
export interface Reply {
  /** An HTTP status from 200. */
  readonly status: number
  /** By name. Core adds others, such as `x-request-id`. */
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text, or the stream from `exchange.stream()`. Empty if absent. */
  readonly body?: string | StreamBody
}

/** A streamed body. Write whole frames; they are flushed once per turn of the event loop. */
export interface StreamBody {
  /** Does nothing once the client has left. */
  write(frame: string): void
  /**
   * Writes a frame of more than about 100 kB in pieces. Each is created when the client has room for it, in a separate turn, so that the
   * whole text is never in memory.
   */
  writeLong(pieces: Iterator<string, void>): void
  /** True while the client reads too slowly: await `drained()` before you write more. */
  readonly full: boolean
  /** Resolves when there is room again, or the client has disconnected. */
  drained(): Promise<void>
  /**
   * Sets the text that goes out with the head if no frame is there yet. Default: a comment of server-sent events. With an empty text, the head
   * waits for the first frame.
   */
  openWith(text: string): void
  /** Calls `beat` whenever the stream has been silent for the heartbeat interval. */
  onSilence(beat: () => void): void
  /** Ends the reply after the frames written so far. */
  end(): void
  /** Breaks off the reply. Does nothing after the client has all of it. */
  abandon(): void
}

/** The gateway, as surfaces use it. Routes get it with every request. Other plugins name it in `needs`, and use it from `onStart` on. */
export interface GatewayServices {
  /**
   * Authenticates a request that did not come through a `Route`, and begins its record. Throws a `GatewayError` for a key that is not
   * accepted; that request is recorded, too. Throws a 503 without a record once the gateway ends its last requests.
   */
  openScope(opening: ScopeOpening): Promise<OpenScope>
  /** Starts a generation. It always runs to its end, even if no one awaits it. */
  generate(scope: RequestScope, request: GenerationRequest, sink: GenerationSink, envelope?: RequestEnvelope): GenerationRun
  /** Counts the input tokens for the model that would be asked first. Throws the errors of a generation. */
  countInput(scope: RequestScope, request: GenerationRequest, envelope?: RequestEnvelope): Promise<InputCount>
  /** Answers a decision, or throws a `GatewayError`. `bodyBytes`: the size of the caller's body, if known. */
  decide(scope: RequestScope, request: DecisionRequest, bodyBytes?: number): Promise<Decided>
  /** Makes the vectors of texts, or throws a `GatewayError`. `bodyBytes`: the size of the caller's body, if known. */
  embed(scope: RequestScope, request: EmbeddingRequest, bodyBytes?: number): Promise<Embedded>
  /** Ranks documents by their relevance, or throws a `GatewayError`. */
  rerank(scope: RequestScope, request: RerankRequest, bodyBytes?: number): Promise<Reranked>
  /** Throws the error that the caller's next request would get if its key was disabled or deleted, or has expired. */
  readmit(caller: Caller): Maybe<void>
  /** True if the caller may use the endpoint. */
  readonly permits: (caller: Caller, endpoint: Endpoint) => boolean
  /** True if permissions and guardrails, such as zero data retention, would let a plain request of the caller reach the endpoint. */
  readonly reach: (scope: RequestScope) => (endpoint: Endpoint) => boolean
  /** For a surface that holds conversations between requests. `evict` is called when core lets it go, to free memory for answers. */
  holdMemory(owner: string, evict: () => void): HeldMemory
  /** The stored responses. Each call names the caller. */
  readonly responses: StoredResponses
  /** How long a request may wait for a store, in milliseconds. */
  readonly storeTimeoutMs: number
  /** Throws a 400 for an image or a file at an address that no request may name. Paths in the error start with `input`. */
  readonly checkMedia: (items: readonly Item[]) => void
  /** The types of `tools` that plugins add. Core checks these entries by the schemas of the tools. */
  readonly toolTypes: ReadonlySet<string>
  /** The models that are served. */
  readonly catalog: Catalog
  /** Use it for all times. Tests replace it. */
  readonly clock: Clock
  /** Makes globally unique ids, such as `resp_…`. */
  readonly ids: Ids
}
export const GatewayServices = token<GatewayServices>('gateway-services')

/** The answer of `GatewayServices.countInput`. */
export interface InputCount {
  /** Of the whole input, with instructions and tools. */
  readonly tokens: number
  /** True if the gateway does not have the model's tokenizer, or the input contains more than text. */
  readonly estimated: boolean
}

/** Stored responses of one owner. `find` and `remove` throw a 404, including for other owners' responses. */
export interface StoredResponses {
  /** The response as its surface stored it. */
  find(caller: Caller, id: string): Promise<StoredResponse>
  /** Deletes the response, and its content in the record. */
  remove(caller: Caller, id: string): Promise<void>
  /** The conversation up to the end of this response. Throws a 400 that names `param` if it cannot be continued. */
  conversation(caller: Caller, id: string, param: string): Promise<readonly Item[]>
}

/** Receives an answer for the client. Core calls `begin`, `write` any number of times, `close`, then `end`; or `fail` at any point. */
export interface GenerationSink {
  /** The id of the answer, for the record. */
  readonly id?: string
  /** Called once, when an endpoint or a call wrapper begins to answer. */
  begin(commitment: Commitment): void
  /** Called with each piece, after the guardrails, in the order of the answer. */
  write(event: ItemEvent): void
  /**
   * Called before `close` if the request ended with a `compaction_trigger`: the newest messages of the user, which the caller goes on with
   * beside the compaction.
   */
  retain?(messages: readonly MessageItem[]): void
  /** Returns the finished object, which core stores before it calls `end`. */
  close(outcome: Outcome): FinishedAnswer
  /** Called when the response is stored. `stored` is false if it was not, or could not be. */
  end(stored: boolean): void
  /** `costUsd`: see `Outcome`. */
  fail(error: GatewayError, usage: TokenUsage, costUsd: number | null): void
  /** True while the client reads too slowly: core then awaits `drained()`. */
  readonly full: boolean
  /** Also called after `end` or `fail` while the sink is full: resolves when the client has everything, or has gone. */
  drained(): Promise<void>
  /** Called after `end` or `fail` if the client does not read the rest, and its memory is needed. */
  abandon?(): void
  /** Called before a model is asked, when nothing can refuse the request any more, with its own items. Core waits. A throw refuses it. */
  accepted?(input: readonly Item[]): Maybe<void>
  /** Called after `close`, before the answer is stored. Core waits. A throw fails the request. */
  completing?(): Maybe<void>
  /** Called after `end` or `fail`. The request is over when this is. Must not throw. */
  settled?(): Maybe<void>
}

/** An answer in its surface's format. */
export interface FinishedAnswer {
  /** Such as `resp_…`. The record keeps it as `answerId`. */
  readonly id: string
  /** The whole object, in the format of the surface. Stored as it is. */
  readonly body: JsonObject
}

/** Neither promise ever rejects: failures are values. */
export interface GenerationRun {
  /** Until this resolves, a failure can still be an HTTP status. */
  readonly committed: Promise<Commitment | GatewayError>
  /** Resolves when the request is over: its answer is stored, delivered and charged. */
  readonly finished: Promise<Outcome | GatewayError>
}

/** The attempt that answers. `endpoint` is undefined if the status goes out before any attempt has answered. */
export interface Commitment {
  /** Its names go into headers: docs/protocol/http.md#response-headers. */
  readonly endpoint: Endpoint | undefined
  /** How many have begun. 0 without an endpoint, and if a call wrapper answers. */
  readonly attempts: number
  /** Go into the header `x-gateway-warnings`. */
  readonly warnings: readonly Warning[]
  /** True if the response will be stored. */
  readonly store: boolean
}

/** Something that was dropped or lowered for the endpoint. */
export interface Warning {
  /** The member of the request, such as `temperature`. */
  readonly param: string
  /** Says what became of it, as in `is not supported by this model and was left out`. */
  readonly message: string
}

/** The end of an answered generation. */
export interface Outcome {
  /** The endpoint that answered. */
  readonly endpoint: Endpoint
  /** How many were made until the answer began. 0 if a call wrapper answered. */
  readonly attempts: number
  /** As in `Commitment`. */
  readonly warnings: readonly Warning[]
  /** Of the last choice, if there are several. */
  readonly finish: FinishReason
  /** Of all rounds and choices together. */
  readonly usage: TokenUsage
  /** US dollars that the request is charged, as in its record. Null if unknown. */
  readonly costUsd: number | null
}
