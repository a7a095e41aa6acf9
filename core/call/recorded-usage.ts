import type { AttemptRecord } from '../contracts/log-sink.ts'
import { otherModel, type ErrorCause, type RecordFacts } from '../contracts/record-store.ts'
import { errorCauseOf, isFailed, isVendorFault } from './error-cause.ts'

/** One record's share of the usage of one model at one provider. Times are in milliseconds. */
export interface RecordedUsage {
  /** Null: none was asked. */
  readonly model: string | null
  /** Null: none was asked. */
  readonly provider: string | null
  /** 1 where the request counts, which is in one place. Its errors, tokens and cost are there, too. */
  readonly requests: number
  /** Undefined: no error. */
  readonly errorCause: ErrorCause | undefined
  /** With those read from a cache. */
  readonly inputTokens: number
  /** Read from a cache. */
  readonly cachedTokens: number
  /** With reasoning tokens. */
  readonly outputTokens: number
  /** US dollars. 0 if unknown. */
  readonly costUsd: number
  /** 1 if the usage is known and its cost is not, else 0. */
  readonly unpriced: number
  /** Absent if the request was not answered. */
  readonly answerMs: number | undefined
  /** Attempts that began. */
  readonly attempts: number
  /** Without abandoned ones. */
  readonly failedAttempts: number
  /** Attempts that failed by the vendor's fault. */
  readonly faults: number
  /** One for each attempt that succeeded. */
  readonly attemptsMs: readonly number[]
}

type UsageDraft = { -readonly [Member in keyof RecordedUsage]: RecordedUsage[Member] } & { readonly attemptsMs: number[] }

/**
 * The amounts that a record adds to the usage of each model at each provider. `isNamed` says whether usage names a model that no catalog
 * lists; the others count as `otherModel`.
 */
export function recordedUsage(
  record: RecordFacts,
  isNamed: (org: string, provider: string, model: string) => boolean,
): readonly RecordedUsage[] {
  const { attempts, provider, model, org } = record
  const nameOf = (attempt: AttemptRecord): string =>
    attempt.listed !== false || isNamed(org ?? '', attempt.provider, attempt.model) ? attempt.model : otherModel
  const own = attempts.find(attempt => attempt.provider === provider && attempt.model === model)
  const request = requestIn(record, own ? nameOf(own) : model)
  const parts = [request]
  for (const attempt of attempts) {
    const name = nameOf(attempt)
    let part = parts.find(each => each.provider === attempt.provider && each.model === name)
    if (!part) parts.push((part = { model: name, provider: attempt.provider, ...nothing, attemptsMs: [] }))
    part.attempts++
    if (isFailed(attempt)) part.failedAttempts++
    if (isVendorFault(attempt)) part.faults++
    if (attempt.outcome === 'ok') part.attemptsMs.push(attempt.elapsedMs)
  }
  return parts
}

const nothing = {
  requests: 0,
  errorCause: undefined,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  unpriced: 0,
  answerMs: undefined,
  attempts: 0,
  failedAttempts: 0,
  faults: 0,
}

function requestIn(record: RecordFacts, model: string | null): UsageDraft {
  const { provider, usage, costUsd, status, errorCode, elapsedMs } = record
  return {
    ...nothing,
    model,
    provider,
    requests: 1,
    errorCause: errorCauseOf(record),
    inputTokens: usage ? usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h : 0,
    cachedTokens: usage?.cacheRead ?? 0,
    outputTokens: usage?.output ?? 0,
    costUsd: costUsd ?? 0,
    unpriced: Number(usage !== null && costUsd === null),
    answerMs: provider === null || status >= 400 || errorCode !== null ? undefined : elapsedMs,
    attemptsMs: [],
  }
}
