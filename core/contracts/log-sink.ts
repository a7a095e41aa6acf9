import type { ObservedCall } from './call-observer.ts'
import type { FailureReason } from './failure-reason.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { RecordFacts } from './record-fields.ts'
import type { Sight } from './sight.ts'

/** The record of one request. Every request makes exactly one, however it ends. */
export interface RequestRecord extends RecordFacts {
  /** Content. Null unless the policy's `logging` is on. */
  readonly request: JsonObject | null
  /** Content, like `request`. Also null if there was no answer. */
  readonly response: JsonObject | null
  /** Content in addition to these two, by kind: what plugins keep and, as `error`, the words of an error. Absent if there is none. */
  readonly kept?: Readonly<Record<string, JsonObject>>
}

/** How the endpoints of a request were chosen. */
export interface RoutingRecord {
  /** The order of a model's endpoints. Null: they kept the order of the catalog. */
  readonly sort: string | null
  /** The order of the models where the request leaves the choice to `auto`. */
  readonly modelSort: string | null
  /** The span of the metrics that the sort read, in milliseconds. */
  readonly intervalMs: number
  /** Why the first candidate came before better ones. */
  readonly preferred: Preferred | null
  /** The first 16 endpoints: in the order in which to try them, then those that were passed over. */
  readonly candidates: readonly RoutedCandidate[]
  /** How many endpoints were passed over, by reason. */
  readonly passedOver: Readonly<Partial<Record<PassedOver, number>>>
  /** The warnings of the sorts. Absent if there were none. */
  readonly warnings?: readonly string[]
}

/** One endpoint of the plan. */
export interface RoutedCandidate {
  /** The provider's id. */
  readonly provider: string
  /** The canonical name. */
  readonly model: string
  /** By the sort. Null without data. */
  readonly value: number | null
  /** By the sort of models, if it differs. */
  readonly modelValue?: number | null
  /** Null if it was asked, or would have been next. */
  readonly passedOver: PassedOver | null
}

/**
 * `state`: it has the reasoning state of the conversation. `affinity`: its prompt cache is warm. `exploration`: it had few recent attempts.
 */
export type Preferred = 'state' | 'affinity' | 'exploration'

/**
 * The reason why an endpoint was not asked: something that it lacks (`dialect`: members of the request that its API does not have), a rule that excludes it, or `attempt-limit`, because enough others had
 * failed. `credit`: the key's remaining credit does not cover it. `circuit`: it failed recently, and another endpoint answered. `provider`:
 * another endpoint of its provider failed, and one of another provider answered. `queue`: too many requests waited for it. `compaction`: it cannot read a compaction
 * in the conversation.
 */
export type PassedOver =
  | 'tools'
  | 'images'
  | 'files'
  | 'structured-output'
  | 'web-search'
  | 'context-management'
  | 'dialect'
  | 'permission'
  | 'policy'
  | 'context-window'
  | 'attempt-limit'
  | 'credit'
  | 'circuit'
  | 'provider'
  | 'queue'
  | 'compaction'

/** One attempt at a request, in `RequestRecord.attempts`. */
export interface AttemptRecord {
  /** The slug in `provider/model`. */
  readonly provider: string
  /** The canonical name, as in the catalog. */
  readonly model: string
  /** `ok`, `left` if it was abandoned, `outrun` if another endpoint answered first, or the kind of failure. */
  readonly outcome: string
  /** The vendor's HTTP status, if the attempt failed with one. */
  readonly status: number | null
  /** When it began: milliseconds after the arrival of the request. Absent from records of versions that did not measure it. */
  readonly startedMs?: number
  /** Without the time in which the client did not read. */
  readonly elapsedMs: number
  /** From its beginning to the first event of the answer. Absent if none came. */
  readonly firstEventMs?: number
  /** How long it waited for a place at a provider with `maxConcurrent`, before it began. Absent if it did not. */
  readonly queuedMs?: number
  /** How long the gateway waited after a failure, before it began. Absent if it did not. */
  readonly waitedMs?: number
  /** The vendor's word for the failure, such as `model_overloaded`. Absent if it sent none that is safe to keep: see `vendorWord`. */
  readonly vendorCode?: string
  /** The id that the vendor gave the request. Absent if the attempt succeeded, or the vendor sent none. */
  readonly requestId?: string
  /** True if it counts against the endpoint, if the provider said so. Otherwise absent: the kind of failure implies it. */
  readonly isFault?: boolean
  /** False if no catalog lists the endpoint. Otherwise absent. */
  readonly listed?: false
  /**
   * If it was outrun: an estimate of what the vendor may bill, which is not part of the request's cost; null if unknown. If it failed or was
   * left before it answered, but the vendor had reported usage: its share of the request's cost; null if unknown. Otherwise absent.
   */
  readonly costUsd?: number | null
}

/** The members of a record that whoever serves the request sets. */
type SetWhileOpen =
  | 'kind'
  | 'session'
  | 'answerId'
  | 'stream'
  | 'requestedModel'
  | 'model'
  | 'provider'
  | 'usage'
  | 'heldUsd'
  | 'costUsd'
  | 'routing'
  | 'firstEventMs'
  | 'creditWaitMs'

/** The record of a request in progress. */
export interface OpenRecord extends Writable<Pick<RecordFacts, SetWhileOpen>> {
  /** Arrival time, in milliseconds since the epoch. */
  readonly at: number
  /** The same by `Clock.elapsed`, for durations. */
  readonly start: number
  /** Known before the caller is. */
  readonly surface: string | null
  /** Set while observers follow the call of this request. */
  observed: ObservedCall | undefined
  /** The known cost of attempts that failed before they answered. They are charged, but not on the bill of the answer. */
  lostUsd: number
  /** The public code of the error, such as `rate_limit_exceeded`. Null until the request fails. */
  readonly errorCode: string | null
  /** Why the request failed, if it has. */
  readonly reason: FailureReason | null
  /** Core adds one for each attempt. */
  readonly attempts: AttemptRecord[]
  /** Facts that plugins and core add, without content. */
  readonly notes: {
    /** Such as `answered-by`. */
    kind: string
    /** Its members depend on the kind. */
    summary: JsonObject
  }[]
  /** The caller gets this error. Of several, the first counts, unless a call `overrules` it. */
  failed(error: GatewayError, overrules?: boolean): void
  /** Kept only if the caller's policy has `logging` on. */
  content(request: JsonObject | undefined, response: JsonObject | undefined): void
  /** Content of plugins, kept in addition to them. */
  keep(kind: string, content: JsonObject): void
}

type Writable<T> = { -readonly [N in keyof T]: T[N] }

/** Receives records in the background, after the reply. */
export interface LogSink {
  /** Unique among sinks. Log lines and the alert `sink:<name>` have it. */
  readonly name: string
  /** `metadata`: `request` and `response` are null for this sink. */
  readonly accepts: 'metadata' | 'content'
  /**
   * For a sink that accepts content. Without it, the sink gets no content of callers whose policy has `zdr` or `hipaa` on.
   */
  readonly seesContent?: Sight
  /** True: new requests wait while this sink cannot keep up. Otherwise the oldest records are dropped and counted. */
  readonly required?: boolean
  /** Called with one batch at a time. It has no time limit. A throw is logged; do not retry here, but say so in `retryAfterMs`. */
  write(batch: readonly RequestRecord[]): Promise<void>
  /**
   * Called after each write of a batch that failed, with how many have: how long to wait before the sink gets the batch again, in
   * milliseconds, or undefined to give it up. Default: a required sink gets it again after a second, and others do not. With this method,
   * only the first failure of a batch is logged.
   */
  retryAfterMs?(error: unknown, failures: number): number | undefined
  /** Called with a batch that was given up, so that the sink can keep it elsewhere. A throw is logged. */
  giveUp?(batch: readonly RequestRecord[], error: unknown): Promise<void>
}
