import type { ImageErrorCode } from '../foundation/errors.ts'
import type { Capabilities, Endpoint } from './catalog.ts'
import type { GenerationEvent } from './events.ts'
import type { TextFormat, UpstreamRequestBody } from './request.ts'
import type { RunContext } from './run-context.ts'

/** Milliseconds; time in which the client does not read counts for none of them. */
export interface Timeouts {
  readonly connectMs: number
  /** Until the first semantic event of a streamed reply. */
  readonly firstEventMs: number
  readonly betweenEventsMs: number
  /** The whole attempt. */
  readonly totalMs: number
}

/** One of several keys of a provider. Never the secret itself. */
export interface Credential {
  readonly id: string
  /** The vendor's account: reasoning state moves within it, not across. */
  readonly account: string
}

/** One event, or some that came together. */
export type Yielded = GenerationEvent | readonly GenerationEvent[]

/** A vendor, or anything else that answers. Most are made by `httpProvider`. */
export interface Provider {
  /** The slug in `provider/model`. */
  readonly id: string
  /** Core chooses, rotates and cools down; absent means that there is nothing to choose. */
  readonly credentials?: readonly Credential[]
  readonly timeouts?: Partial<Timeouts>
  /** What every model here can do where the catalog does not say. */
  readonly capabilities?: Capabilities
  /** See `ProviderAdapter.enforces`. */
  enforces?(format: TextFormat, endpoint: Endpoint): boolean
  /**
   * Called once an attempt. Throws `ProviderFailure`, before or between events; must stop soon after `call.signal` aborts.
   * A reply that ends without a `finish` event is treated as cut short.
   * Events that came together may be yielded together, as a list: a hop between generators costs more than most events.
   */
  generate(call: ProviderCall): AsyncIterable<Yielded>
}

export interface ProviderCall {
  /** History, guards and lowering applied; gateway-only members are gone. `stream` says how to ask the vendor. */
  readonly request: UpstreamRequestBody
  /** Its capabilities are completed by the provider's own. */
  readonly endpoint: Endpoint
  readonly credentialId: string | undefined
  /** This attempt's own signal: aborted with the run, or when the attempt takes too long. */
  readonly signal: AbortSignal
  readonly context: RunContext
  /** The attempt's own clock. */
  readonly clock?: AttemptClock | undefined
  /**
   * Tells core how many bytes of the reply are held that no event has been made of yet; each call replaces the last number. Throws when the
   * gateway has no room for them. `httpProvider` calls it; another provider needs to only if it collects a reply before it yields.
   */
  holds?(bytes: number): void
}

export interface AttemptClock {
  /** Time that is not the provider's, such as a download for the caller: no time-out runs, and it is not measured. */
  pauseFor<T>(work: Promise<T>): Promise<T>
}

export type FailureKind =
  | 'invalid-request'
  | 'not-found'
  | 'auth'
  | 'quota'
  | 'rate-limit'
  | 'overloaded'
  | 'unavailable'
  | 'timeout'
  | 'network'
  | 'protocol'
  | 'refused'
  | 'context-length'

export interface ProviderFailureOptions {
  readonly kind: FailureKind
  /** What went wrong, fit for the caller: the vendor's own sentence where there is one. */
  readonly message: string
  /** What is wrong with an image, where that is the trouble. Every other public code follows from the kind. */
  readonly code?: ImageErrorCode | undefined
  /** The vendor's HTTP status. */
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  /** Whether the same request may succeed soon. By default the kind decides. */
  readonly transient?: boolean | undefined
  /** The item or part of `request.input` that is at fault, as the provider was given it: the caller is told its path. */
  readonly subject?: object | undefined
  /** The vendor's error body, whole: core masks it and cuts it. Content, never logged or recorded. */
  readonly upstream?: string | undefined
  readonly cause?: unknown
}

const failureMarker = Symbol.for('turnpike/provider-failure')

/** A provider's answer that is none. Equal across copies of this package: test with `ProviderFailure.is`. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly [failureMarker] = true
  readonly kind: FailureKind
  readonly code: ImageErrorCode | undefined
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** Undefined: the kind decides. */
  readonly transient: boolean | undefined
  readonly subject: object | undefined
  readonly upstream: string | undefined

  constructor(options: ProviderFailureOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = options.kind
    this.code = options.code
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this.transient = options.transient
    this.subject = options.subject
    this.upstream = options.upstream
  }

  static is(error: unknown): error is ProviderFailure {
    return typeof error === 'object' && error !== null && failureMarker in error
  }
}
