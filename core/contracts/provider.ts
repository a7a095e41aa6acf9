import { branded } from '../foundation/brand.ts'
import type { ImageErrorCode } from '../foundation/errors.ts'
import type { Wording } from '../foundation/wording.ts'
import type { Capabilities, Endpoint, NamedEndpoint } from './catalog.ts'
import type { Embedder } from './embedding.ts'
import type { GenerationEvent } from './events.ts'
import type { Reranker } from './rerank.ts'
import type { TextFormat, UpstreamRequestBody } from './request.ts'
import type { RunContext } from './run-context.ts'

/** Milliseconds. Time during which the client does not read does not count. */
export interface Timeouts {
  /** To connect, TLS included. */
  readonly connectMs: number
  /** To the first semantic event of a streamed reply. */
  readonly firstEventMs: number
  /** From one event of a stream to the next. */
  readonly betweenEventsMs: number
  /** The whole attempt. */
  readonly totalMs: number
}

/** A stream this slow is given up before the caller sees any of it, if another endpoint is left. */
export interface SlowStream {
  /** The expected pace. */
  readonly tokensPerSecond: number
  /** How long a stream has to show it, counted from its first event. */
  readonly overMs: number
}

export const hedgePercentiles = ['p50', 'p75', 'p90', 'p95', 'p99'] as const

/**
 * The time after which a request without an answer is also sent to the next endpoint: after this many milliseconds, or after a percentile
 * of the endpoint's times to the first event, such as `p95`. `false`: never.
 */
export type HedgeAfter = number | (typeof hedgePercentiles)[number] | false

/** How requests are sent to a provider. Absent members have the values of the server's settings of the same names. */
export interface SendingRules {
  /** Members that are absent have the values of the server, too. */
  readonly timeouts?: Partial<Timeouts> | undefined
  /** The most requests under way at once, in all processes that count together. Others wait. Default: no limit. */
  readonly maxConcurrent?: number | undefined
  /** The most requests that wait in this process. Beyond that, the next endpoint is tried. Default: 100. */
  readonly maxQueued?: number | undefined
  /** Default: `server.slowStream`. */
  readonly slowStream?: SlowStream | undefined
  /** Default: `server.hedgeAfter`. */
  readonly hedgeAfter?: HedgeAfter | undefined
}

/** Identifies one of a provider's keys. Never the secret itself. */
export interface Credential {
  /** Safe to log, and unique in the provider. Calls name it as `credentialId`. */
  readonly id: string
  /** The vendor's account. Reasoning state is valid within one account only. */
  readonly account: string
}

/** One event, or several that arrived together. */
export type Yielded = GenerationEvent | readonly GenerationEvent[]

/** Anything that answers generations, such as a vendor's API. Most are made with `httpProvider`. */
export interface Provider extends SendingRules {
  /** The slug in `provider/model`. */
  readonly id: string
  /** The name of the dialect, such as `openai-chat`. Its callers' `extra` members go only to providers of the same dialect. */
  readonly dialect?: string
  /** The dialect of a model, if the provider speaks several. Overrides `dialect`. A throw fails the attempt. */
  dialectOf?(endpoint: NamedEndpoint): string | undefined
  /** Core picks, rotates and cools them down. Leave them out if there is only one. */
  readonly credentials?: readonly Credential[]
  /** The capabilities of every model here. The catalog overrides them. */
  readonly capabilities?: Capabilities
  /**
   * The capabilities of a model, by its name. Override `capabilities`; the catalog overrides both. A throw or a malformed answer ends the start
   * if a catalog lists the model, and otherwise fails the attempt.
   */
  capabilitiesOf?(endpoint: NamedEndpoint): Capabilities
  /** See `ProviderAdapter.enforcesFormat`. A throw, or an answer other than true or false, fails the attempt. */
  enforcesFormat?(format: TextFormat, endpoint: Endpoint): boolean
  /**
   * Called once per attempt. Throws `ProviderFailure`, before or between events, and must stop soon after `call.signal` aborts.
   * A reply that ends without a `finish` event counts as truncated.
   * Yield events that arrived together as one array: a step between generators costs more than most events. An `EventFeed` costs less still.
   */
  generate(call: ProviderCall): AsyncIterable<Yielded>
  /** Absent if the provider makes no embeddings. */
  readonly embeddings?: Embedder | undefined
  /** Absent if the provider does not rerank. */
  readonly reranking?: Reranker | undefined
}

/** One attempt at one endpoint. */
export interface ProviderCall {
  /**
   * After history, guards and lowering, without gateway-only members. Its items are frozen: copy what changes. `stream` says
   * whether to ask the vendor for a stream.
   */
  readonly request: UpstreamRequestBody
  /** Its capabilities include the provider's defaults. */
  readonly endpoint: Endpoint
  /** The credential to use. Undefined if the provider lists none. */
  readonly credentialId: string | undefined
  /** This attempt's signal. Aborted with the run, or when the attempt takes too long. */
  readonly signal: AbortSignal
  /** That of the caller's request, the same for all its attempts. */
  readonly context: RunContext
  /** The header `traceparent` to send to the vendor, if an observer follows the attempt. `httpProvider` sends it. */
  readonly traceparent?: string | undefined
  /** The attempt's clock. */
  readonly clock?: AttemptClock | undefined
  /**
   * Reports how many bytes of the reply are buffered but not yet yielded as events. Each call replaces the last number. Throws if the
   * gateway has no memory left for them. `httpProvider` calls it; other providers need it only if they buffer replies.
   */
  holds?(bytes: number): void
  /**
   * Names a function that returns the output which has arrived but is not yet yielded, such as that of choices whose turn has not come: one
   * text for each, because tokens are counted by text. It is charged if the reply ends early.
   */
  withholds?(texts: () => readonly string[]): void
}

/** Keeps the timeouts of one attempt. Core makes it: see `ProviderCall.clock`. */
export interface AttemptClock {
  /** Stops the clock during work that is not the provider's, such as a download: timeouts pause, and the time is not measured. */
  pauseFor<T>(work: Promise<T>): Promise<T>
  /** Tells that the vendor has begun to reply. `httpProvider` calls it. */
  replied?(): void
}

/** Why an attempt failed. The kind decides on retries and on the caller's error: docs/protocol/errors.md#failures-of-vendors. */
export const failureKinds = [
  'invalid-request',
  'not-found',
  'auth',
  'quota',
  'rate-limit',
  'overloaded',
  'unavailable',
  'timeout',
  'network',
  'protocol',
  'refused',
  'context-length',
] as const
/** Decides what core does next, and the caller's error: docs/protocol/errors.md#failures-of-vendors. */
export type FailureKind = (typeof failureKinds)[number]

/** `replied`: the head of a reply came, but none of its events. */
export type Progress = 'none' | 'connected' | 'replied' | 'answering'

/** The facts about a failed attempt. */
export interface ProviderFailureOptions {
  /** Decides the public error, and what core tries next. */
  readonly kind: FailureKind
  /** The description of the failure. The caller sees it, so use the vendor's own sentence if there is one, else a `wording`. */
  readonly message: string | Wording
  /** The message without what it quotes of the request or the vendor. Default: that of a `Wording`. */
  readonly unquotedMessage?: string | undefined
  /** For image errors only. All other public codes follow from the kind. */
  readonly code?: ImageErrorCode | undefined
  /** The vendor's HTTP status. */
  readonly status?: number | undefined
  /** How long the vendor asks to wait. Default: core decides. */
  readonly retryAfterMs?: number | undefined
  /** True if the same request may succeed soon. By default the kind decides. */
  readonly transient?: boolean | undefined
  /**
   * The progress of a request that failed with `network` or `timeout`: `none` without a connection, `connected` without any of a reply,
   * `replied` without an event of it. Default: `none` for `network`, `answering` for `timeout`.
   */
  readonly progress?: Progress | undefined
  /** True if the failure counts against the endpoint, in its metrics and its circuit. By default the kind decides. */
  readonly isFault?: boolean | undefined
  /** True if the vendor refuses the credential for any request. By default the status decides: 402 and 403 may be about the request. */
  readonly ofCredential?: boolean | undefined
  /** The item or part of `request.input` at fault, by identity. The caller's error names its path. */
  readonly subject?: object | undefined
  /** The vendor's whole error body. Core masks and truncates it. It is content, so it is never logged or recorded. */
  readonly upstream?: string | undefined
  /** The vendor's word for the failure, such as `model_overloaded`. Default: what `upstream` has, if it is JSON. */
  readonly vendorCode?: string | undefined
  /** The id that the vendor gave the request. By default, core reads it in the headers of the reply. */
  readonly requestId?: string | undefined
  /** The error that led to this one. */
  readonly cause?: unknown
}

/** A failed attempt. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  /** Decides whether core retries, and the caller's error: docs/protocol/errors.md#failures-of-vendors. */
  readonly kind: FailureKind
  /** For image errors only. */
  readonly code: ImageErrorCode | undefined
  /** The vendor's HTTP status. Undefined without a reply. */
  readonly status: number | undefined
  /** How long the vendor asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Absent if the kind decides. */
  readonly transient: boolean | undefined
  /** Absent if the kind decides. */
  readonly progress: Progress | undefined
  /** Absent if the kind decides. */
  readonly isFault: boolean | undefined
  /** Absent if the status decides. */
  readonly ofCredential: boolean | undefined
  /** The item or part of `request.input` at fault, by identity. */
  readonly subject: object | undefined
  /** The vendor's whole error body. Content: never logged or recorded. */
  readonly upstream: string | undefined
  /** The message without what it quotes, for records without content. Undefined if nobody wrote one. */
  readonly unquotedMessage: string | undefined
  /** Core sets it if the vendor's reply has one. The same goes for the next member. */
  vendorCode: string | undefined
  /** The id that the vendor gave the request. */
  requestId: string | undefined

  static {
    branded(this, 'provider-failure')
  }

  constructor(options: ProviderFailureOptions) {
    const { message } = options
    const isText = typeof message === 'string'
    super(isText ? message : message.text, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = options.kind
    this.code = options.code
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this.transient = options.transient
    this.progress = options.progress
    this.isFault = options.isFault
    this.ofCredential = options.ofCredential
    this.subject = options.subject
    this.upstream = options.upstream
    this.unquotedMessage = options.unquotedMessage ?? (isText ? undefined : message.unquoted)
    this.vendorCode = options.vendorCode
    this.requestId = options.requestId
  }

  /** Also true for failures of another copy of this package. */
  static is(error: unknown): error is ProviderFailure {
    return error instanceof ProviderFailure
  }
}
