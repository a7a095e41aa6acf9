import type { CallKind } from './call-wrapper.ts'
import type { Endpoint } from './catalog.ts'
import type { TokenUsage } from './events.ts'

/**
 * Learns when calls, their attempts and their rounds of tools begin and end, for traces and metrics. It gets no content and no text that a
 * caller made up. Synchronous and on the path of the request: return at once. A throw never reaches the request; it is logged.
 *
 * Experimental: this contract may change in any version.
 */
export interface CallObserver {
  readonly name: string
  /** Called when a caller's request becomes a call to a model. Return undefined if nothing more of it matters. */
  begin(call: BegunCall): CallObservation | undefined
}

/** Times are `at`, milliseconds since the epoch, and lengths in milliseconds. */
export interface BegunCall {
  /** The id of the request, as in its record and in `x-request-id`. */
  readonly id: string
  readonly kind: CallKind
  /** The public API that the request came through, as in its record. */
  readonly surface: string | null
  /** The arrival of the request. */
  readonly at: number
  readonly keyId: string
  readonly org: string | null
  readonly stream: boolean
  /** As the caller wrote it. Null if no catalog has the name and the policy's `logging` is off. */
  readonly requestedModel: string | null
}

/** The events of one call that an observer follows. Every attempt and every round that begins also ends, before the call does. */
export interface CallObservation {
  /** Called when an attempt begins: once per endpoint and try, and once per choice where each is asked for alone. Returns what to call when it ends. */
  attempt?(attempt: BegunAttempt): ((ended: EndedAttempt) => void) | undefined
  /** Called when tools of the gateway begin to run. Returns what to call when the last of them has ended. */
  toolRound?(round: BegunToolRound): ((ended: EndedToolRound) => void) | undefined
  /** Called once, when the call is settled. The client may still be reading. */
  end?(ended: EndedCall): void
}

export interface BegunAttempt {
  readonly at: number
  readonly provider: string
  /** Null if no catalog lists it and the policy's `logging` is off, since the caller may have made it up. */
  readonly model: string | null
  /** `hedge`: the second endpoint of a hedged request, `first` its first one. Otherwise `only`. */
  readonly role: AttemptRole
}

export type AttemptRole = 'only' | 'first' | 'hedge'

export interface EndedAttempt {
  /** With the time in which nobody read. */
  readonly elapsedMs: number
  /** From the beginning to the first event of the answer. Null if none came. */
  readonly firstEventMs: number | null
  /** As in `AttemptRecord`: `ok`, `left`, `outrun`, or the kind of failure. */
  readonly outcome: string
  /** The vendor's, if the attempt failed with one. */
  readonly status: number | null
  /** Null if the vendor reported none. Of an attempt that was outrun: an estimate of what the vendor may bill. */
  readonly usage: TokenUsage | null
  /** The cost of this usage, in US dollars; null if unknown. */
  readonly costUsd: number | null
}

export interface BegunToolRound {
  readonly at: number
  /** The number of calls that run, by the type of the tool. */
  readonly tools: Readonly<Record<string, number>>
}

export interface EndedToolRound {
  readonly elapsedMs: number
  /** How many of the calls failed. */
  readonly failed: number
}

export interface EndedCall {
  /** Since the arrival of the request. */
  readonly elapsedMs: number
  /** `left`: the client closed the connection. */
  readonly outcome: 'ok' | 'failed' | 'left'
  /** The status of the call: 200, or that of its error, also where the client got 200 before. 499 if the client left. */
  readonly status: number
  readonly errorCode: string | null
  /** The endpoint that answered or, if none did, that was asked last. Null without an attempt. */
  readonly provider: string | null
  /** Also null if no catalog lists the model and the policy's `logging` is off. */
  readonly model: string | null
  /** The name of the call wrapper that answered in the place of a model. */
  readonly answeredBy: string | null
  readonly attempts: number
  /** As in the record. */
  readonly usage: TokenUsage | null
  readonly costUsd: number | null
}

/** A call that somebody observes. Core calls it; plugins have no use for it. */
export interface ObservedCall {
  /** `startedMs`: since the arrival of the request. Returns what to call at the end of the attempt. */
  attempt(endpoint: Endpoint, role: AttemptRole, startedMs: number): (ended: Omit<EndedAttempt, 'costUsd'>) => void
  toolRound(tools: Readonly<Record<string, number>>): (failed: number) => void
}
