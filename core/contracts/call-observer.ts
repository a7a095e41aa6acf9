import type { CallKind } from './call-wrapper.ts'
import type { Endpoint } from './catalog.ts'
import type { TokenUsage } from './events.ts'
import type { FailureReason } from './failure-reason.ts'
import type { PolicyField } from './policy.ts'

/**
 * Learns when calls, their attempts and their rounds of tools begin and end, for traces and metrics. It gets no content and no text that a
 * caller made up. Synchronous and on the path of the request: return at once. A throw never reaches the request; it is logged.
 *
 * Experimental: this contract may change in any version.
 */
export interface CallObserver {
  /** Unique among observers. Errors in the log name its plugin. */
  readonly name: string
  /**
   * Called when a caller's request becomes a call to a model. Return undefined if nothing more of it matters. `earlier`: this observer's
   * observation of an earlier call of the same request, which may be returned again.
   */
  begin(call: BegunCall, earlier?: CallObservation): CallObservation | undefined
  /**
   * Called once for every request that has a record, when that is closed: also for those that never became a call, as with a wrong key.
   * `observation`: that of its last call, so that an observer need not keep a list of open requests. Undefined without one.
   */
  closed?(request: ClosedRequest, observation?: CallObservation): void
}

/** A trace that the caller began: the header `traceparent` (https://www.w3.org/TR/trace-context/), if it is valid. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The caller's span: 16 hexadecimal digits. */
  readonly spanId: string
  /** True if the caller records its part of the trace. */
  readonly isSampled: boolean
}

/** Times are `at`, milliseconds since the epoch, and lengths in milliseconds. */
export interface BegunCall {
  /** The id of the request, as in its record and in `x-request-id`. */
  readonly id: string
  /** As in the record, such as `generation`. */
  readonly kind: CallKind
  /** The public API that the request came through, as in its record. */
  readonly surface: string | null
  /** The arrival of the request. */
  readonly at: number
  /** The id of the caller's API key, never the key. */
  readonly keyId: string
  /** The org of the key. Null if it has none. */
  readonly org: string | null
  /** The team of the key. Null if it has none. */
  readonly team: string | null
  /** True if the caller asked for a stream. */
  readonly stream: boolean
  /** Null without a valid header `traceparent`. */
  readonly trace: TraceContext | null
  /** The id of the session, as in the record: an HMAC. Null if the request names none. */
  readonly session: string | null
  /** As the caller wrote it. Null if no catalog has the name and the policy's `logging` is off. */
  readonly requestedModel: string | null
}

/** The events of one call that an observer follows. Every attempt and every round that begins also ends, before the call does. */
export interface CallObservation {
  /** Called when an attempt begins: once per endpoint and try, and once per choice where each is asked for alone. Returns what to call when it ends. */
  attempt?(attempt: BegunAttempt): ((ended: EndedAttempt) => void) | AttemptObservation | undefined
  /** Called when tools of the gateway begin to run. Returns what to call when the last of them has ended. */
  toolRound?(round: BegunToolRound): ((ended: EndedToolRound) => void) | undefined
  /** Called when a tool of the gateway begins to run. Returns what to call when it has ended. */
  tool?(tool: BegunTool): ((ended: EndedTool) => void) | undefined
  /** Called when the endpoints are chosen. */
  planned?(plan: MadePlan): void
  /** Called when a guardrail has looked at the input, or at all of the answer. */
  guarded?(look: GuardLook): void
  /** Called once, when the call is settled. The client may still be reading. */
  end?(ended: EndedCall): void
}

/** Returned by `CallObservation.attempt` to follow the attempt in the vendor's trace, too. */
export interface AttemptObservation {
  /** Called once. */
  end(ended: EndedAttempt): void
  /** The header `traceparent` of the request to the vendor. Default: none. Neither `tracestate` nor `baggage` is ever sent. */
  readonly traceparent?: string | undefined
}

/** The choice of endpoints for a call. */
export interface MadePlan {
  /** When planning began, in milliseconds since the epoch. */
  readonly at: number
  /** How long planning took. */
  readonly elapsedMs: number
  /** How many endpoints may be asked. */
  readonly candidates: number
  /** The sort of the endpoints. Null: the order of the catalog. */
  readonly sort: string | null
}

/** The argument of `CallObservation.guarded`. */
export interface GuardLook {
  /** When it began, in milliseconds since the epoch. */
  readonly at: number
  /** The time in the guardrail. For the answer, which arrives in pieces: of all its looks together. */
  readonly elapsedMs: number
  /** Its name, as in records. */
  readonly guardrail: string
  /** `output`: all of the answer. */
  readonly stage: 'input' | 'output'
  /** `failed`: it threw, took too long or broke its contract. Its `onFailure` decides what follows. */
  readonly outcome: 'passed' | 'changed' | 'refused' | 'failed'
}

/** The argument of `CallObservation.tool`. */
export interface BegunTool {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The type of the tool, such as `web_search`. Never the name of a tool that a caller made up. */
  readonly type: string
}

/** Passed to the function that `CallObservation.tool` returned. */
export interface EndedTool {
  /** Since `BegunTool.at`. */
  readonly elapsedMs: number
  /** True if the tool threw, or reported that it failed. */
  readonly isFailed: boolean
}

/** The argument of `CallObservation.attempt`. */
export interface BegunAttempt {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The slug in `provider/model`. */
  readonly provider: string
  /** Null if no catalog lists it and the policy's `logging` is off, since the caller may have made it up. */
  readonly model: string | null
  /** False if no catalog lists the model: then the name should not become a label of metrics, because callers make up as many as they like. */
  readonly isListed: boolean
  /** `hedge`: the second endpoint of a hedged request, `first` its first one. Otherwise `only`. */
  readonly role: AttemptRole
}

/** The part of an attempt in a hedged request: see `SendingRules.hedgeAfter`. */
export type AttemptRole = 'only' | 'first' | 'hedge'

/** Passed to the function that `CallObservation.attempt` returned, or to its `end`. */
export interface EndedAttempt {
  /** With the time in which nobody read. */
  readonly elapsedMs: number
  /** From the beginning to the first event of the answer. Null if none came. */
  readonly firstEventMs: number | null
  /** As in `AttemptRecord`: `ok`, `left`, `outrun`, or the kind of failure. */
  readonly outcome: string
  /** How long it waited for a place at a provider with `maxConcurrent`, before it began. */
  readonly queuedMs: number
  /** The vendor's, if the attempt failed with one. */
  readonly status: number | null
  /** Null if the vendor reported none. Of an attempt that was outrun: an estimate of what the vendor may bill. */
  readonly usage: TokenUsage | null
  /** The cost of this usage, in US dollars; null if unknown. */
  readonly costUsd: number | null
}

/** The argument of `CallObservation.toolRound`: the calls of one reply, which run together. */
export interface BegunToolRound {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The number of calls that run, by the type of the tool. */
  readonly tools: Readonly<Record<string, number>>
}

/** Passed to the function that `CallObservation.toolRound` returned. */
export interface EndedToolRound {
  /** Until the last of the tools has ended. */
  readonly elapsedMs: number
  /** How many of the calls failed. */
  readonly failed: number
}

/** The argument of `CallObservation.end`. */
export interface EndedCall {
  /** Since the arrival of the request. */
  readonly elapsedMs: number
  /** `left`: the client closed the connection. */
  readonly outcome: 'ok' | 'failed' | 'left'
  /** The status of the call: 200, or that of its error, also where the client got 200 before. 499 if the client left. */
  readonly status: number
  /** The `code` of the error. Null if the call succeeded. */
  readonly errorCode: string | null
  /** Null if the call succeeded. */
  readonly reason: FailureReason | null
  /** From the arrival of the request to the first event of the answer. Null if none came. */
  readonly firstEventMs: number | null
  /** The endpoint that answered or, if none did, that was asked last. Null without an attempt. */
  readonly provider: string | null
  /** Also null if no catalog lists the model and the policy's `logging` is off. */
  readonly model: string | null
  /** As in `BegunAttempt`. False without a model. */
  readonly isListed: boolean
  /** The name of the call wrapper that answered in the place of a model. */
  readonly answeredBy: string | null
  /** How many were made. 0 if a wrapper answered, or nobody was asked. */
  readonly attempts: number
  /** As in the record. */
  readonly usage: TokenUsage | null
  /** As in the record: US dollars, null if unknown. */
  readonly costUsd: number | null
}

/** A request whose record is closed. Names that callers made up are null, as in a call. */
export interface ClosedRequest {
  /** As in the header `x-request-id`. */
  readonly id: string
  /** When it arrived, in milliseconds since the epoch. */
  readonly at: number
  /** From its arrival to the end of its reply. */
  readonly elapsedMs: number
  /** From its arrival to the first event of the answer. Null if none came. */
  readonly firstEventMs: number | null
  /** Null if it never became a call. */
  readonly kind: CallKind | null
  /** The public API that it came through, such as `messages`. Null: none. */
  readonly surface: string | null
  /** Such as `POST`. */
  readonly method: string
  /** Null without a valid header `traceparent`. */
  readonly trace: TraceContext | null
  /** As delivered: 499 if the client left first. */
  readonly status: number
  /** The `code` of the error. Null if it succeeded. */
  readonly errorCode: string | null
  /** Null if it succeeded. */
  readonly reason: FailureReason | null
  /** Null if no key was known. */
  readonly keyId: string | null
  /** The org of the key. Null if it has none, or no key was known. */
  readonly org: string | null
  /** The team of the key. Null if it has none, or no key was known. */
  readonly team: string | null
  /** The one that answered or, if none did, was asked last. Null without an attempt. */
  readonly provider: string | null
  /** Its canonical name, as in the catalog. Null without an attempt. */
  readonly model: string | null
  /** As in `BegunAttempt`. False without a model. */
  readonly isListed: boolean
  /** True if the caller asked for a stream. */
  readonly stream: boolean
  /** How many were made. */
  readonly attempts: number
  /** Null if nobody answered and no attempt was billed. */
  readonly usage: TokenUsage | null
  /** The charge in US dollars; null if unknown. */
  readonly costUsd: number | null
  /** The fields of the policy that are on. Null if no key was known. */
  readonly policy: Readonly<Record<PolicyField, boolean>> | null
}

/** A call of a gateway that has observers. Core calls it; plugins have no use for it. */
export interface ObservedCall {
  /** The trace that the caller began. Null without one. */
  readonly trace: TraceContext | null
  /** Undefined if this observer does not follow the call. */
  observationBy(observer: CallObserver): CallObservation | undefined
  /** `startedMs`: since the arrival of the request. */
  attempt(endpoint: Endpoint, role: AttemptRole, startedMs: number, queuedMs: number): ObservedAttempt
  /** `tools`: the number of calls by type. Returns what to call at the end, with how many failed. */
  toolRound(tools: Readonly<Record<string, number>>): (failed: number) => void
  /** Runs a tool. */
  tool<Result extends { readonly failed?: boolean }>(type: string, run: () => Promise<Result>): Promise<Result>
  /** Tells observers that a guardrail has looked: their `guarded`. */
  looked(look: GuardLook): void
  /** The time: `at` as in what observers get, `start` for durations. */
  now(): { readonly at: number; readonly start: number }
}

/** An attempt that observers follow. Core ends it. */
export interface ObservedAttempt {
  /** The header for the vendor. */
  readonly traceparent: string | undefined
  /** Adds the cost and the wait, and tells the observers. */
  end(ended: Omit<EndedAttempt, 'costUsd' | 'queuedMs'>): void
}
