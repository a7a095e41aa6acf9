import type { Clock } from '../foundation/clock.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { Ids } from '../foundation/ids.ts'
import type { Catalog, Endpoint } from './catalog.ts'
import type { Decided, DecisionRequest } from './decision.ts'
import type { FinishReason, TokenUsage } from './events.ts'
import type { ItemEvent } from './item-events.ts'
import type { JsonObject, Maybe } from '../foundation/json.ts'
import type { GenerationRequest } from './request.ts'
import type { RequestScope } from './request-scope.ts'
import type { StoredResponse } from './response-store.ts'
import type { Caller } from './run-context.ts'

export const routeMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A method and a path of the HTTP surface. */
export interface Route {
  readonly method: (typeof routeMethods)[number]
  /** Such as `/v1/models/**:id`. Served with and without a trailing slash. */
  readonly path: string
  /** Whether a path that matches is this route's. False for reserved words, which stand where a parameter would: they are a 404. */
  serves?(params: Readonly<Record<string, string>>): boolean
  /** `key`: core has authenticated before `handle` is called. `none` leaves no record either. */
  readonly auth: 'none' | 'key'
  /** Throws `GatewayError` for what the caller should see. */
  handle(exchange: Exchange, gateway: GatewayServices): Maybe<Reply>
  /** What the ids of its requests begin with. Default: `req`. */
  readonly idPrefix?: string
  /** This surface's error body, for what lies below its path too; without one, core's. */
  error?(error: GatewayError): Reply
  /** Paths that callers may expect and nobody serves: the sentence that their 404, and that of paths below them, goes on with. */
  readonly insteadOf?: Readonly<Record<string, string>>
  /** What is told of this route in the interface description; asked once, and only when somebody reads that. */
  describe?(): RouteDescription
}

/** Schemas are JSON Schema 2020-12; they refer to those in `schemas` as `#/components/schemas/<name>`. */
export interface RouteDescription {
  readonly summary: string
  /** Parameters of the path, by name; one that is missing here is any text. */
  readonly path?: Readonly<Record<string, ParameterDescription>>
  /** Parameters of the query, by name. */
  readonly query?: Readonly<Record<string, ParameterDescription>>
  /** The JSON body; absent where none is read. */
  readonly request?: JsonObject
  readonly replies: Readonly<Record<number, ReplyDescription>>
  /** Names are the whole document's: the same name must mean the same object. `Error` and `PolicyRefusal`, core's own bodies, are there. */
  readonly schemas?: Readonly<Record<string, JsonObject>>
}

export interface ParameterDescription {
  readonly description: string
  readonly schema: JsonObject
}

export interface ReplyDescription {
  readonly description: string
  readonly headers?: Readonly<Record<string, ParameterDescription>>
  /** Schemas by content type; of a stream of events, that of one event's data. */
  readonly content?: Readonly<Record<string, JsonObject>>
}

/** One HTTP request. `caller` is absent where `auth` is `none`. */
export interface Exchange extends RequestScope {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  /** The query string's members. */
  readonly query: URLSearchParams
  /** The body as JSON, within the size limit: 400, 413, 415. */
  json(): Promise<unknown>
  /** How long the body was that `json` read, once it was decompressed. */
  readonly bodyBytes: number | undefined
  /** A body of server-sent events for the reply. */
  stream(): StreamBody
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text, or a stream made by `exchange.stream()`; absent is an empty body. */
  readonly body?: string | StreamBody
}

/** A streamed body, written in whole frames and flushed once per turn of the event loop. */
export interface StreamBody {
  write(frame: string): void
  /** True while the client lags: await `drained()` before writing more. */
  readonly full: boolean
  /** Resolves when there is room, and when the client is gone. */
  drained(): Promise<void>
  /** Called every time the stream was silent for the heartbeat's interval. */
  onSilence(beat: () => void): void
  end(): void
}

export interface GatewayServices {
  /** Starts a generation. It runs on its own and always ends, whether anybody waits for it or not. */
  generate(scope: RequestScope, request: GenerationRequest, sink: GenerationSink): GenerationRun
  /** How many tokens the input of this request is to the model that would be asked first; refused as a generation would be. */
  countInput(scope: RequestScope, request: GenerationRequest): Promise<InputCount>
  /** Answers a decision, or throws the `GatewayError` for why not. `bodyBytes`: the length of the text that the caller sent, where it is known. */
  decide(scope: RequestScope, request: DecisionRequest, bodyBytes?: number): Promise<Decided>
  readonly responses: StoredResponses
  readonly catalog: Catalog
  readonly clock: Clock
  readonly ids: Ids
}

export interface InputCount {
  readonly tokens: number
  /** A guess: the gateway has no tokenizer of this model, or the input holds more than text. */
  readonly estimated: boolean
}

/** Stored responses as their owner sees them. Both throw the 404, also for what belongs to others. */
export interface StoredResponses {
  find(caller: Caller, id: string): Promise<StoredResponse>
  remove(caller: Caller, id: string): Promise<void>
}

/** Where a surface writes what the client sees. Calls come in this order: begin, write…, close, end; or fail at any point. */
export interface GenerationSink {
  begin(commitment: Commitment): void
  write(event: ItemEvent): void
  /** The finished object: it is stored before the client hears of the end. */
  close(outcome: Outcome): FinishedAnswer
  /** After the store has it, or has failed to take it (`stored` false). */
  end(stored: boolean): void
  fail(error: GatewayError, usage: TokenUsage): void
  readonly full: boolean
  drained(): Promise<void>
}

/** An answer in the form of its surface. */
export interface FinishedAnswer {
  readonly id: string
  readonly body: JsonObject
}

/** Neither promise ever rejects: a failure is a value. */
export interface GenerationRun {
  /** Until here every failure is still an HTTP status. */
  readonly committed: Promise<Commitment | GatewayError>
  readonly finished: Promise<Outcome | GatewayError>
}

/** An attempt that answers; without an endpoint, the promise that one will. */
export interface Commitment {
  readonly endpoint: Endpoint | undefined
  readonly attempts: number
  readonly warnings: readonly Warning[]
  /** Whether the response is to be found again. */
  readonly store: boolean
}

/** What was dropped or lowered for the endpoint. */
export interface Warning {
  readonly param: string
  readonly message: string
}

export interface Outcome {
  readonly endpoint: Endpoint
  readonly attempts: number
  readonly warnings: readonly Warning[]
  readonly finish: FinishReason
  readonly usage: TokenUsage
  readonly costUsd: number | null
}
