import type { JsonObject } from '../../../core/index.ts'
import type { UsageGroup, UsageRow } from '../../../core/stores.ts'
import { time } from './replies.ts'

/** The sums of one bucket and group, as the API shows them. */
export function usageObject(row: UsageRow, groupBy: readonly UsageGroup[]): JsonObject {
  const { errorsBy, latency, attemptLatency } = row
  return {
    at: time(row.at),
    ...(row.group ?? { ...Object.fromEntries(groupBy.map(group => [group, null])), others: true }),
    requests: row.requests,
    errors: row.errors,
    caller_errors: errorsBy && errorsBy.caller,
    policy_errors: errorsBy && errorsBy.policy,
    vendor_errors: errorsBy && errorsBy.vendor,
    gateway_errors: errorsBy && errorsBy.gateway,
    attempts: row.attempts,
    failed_attempts: row.failedAttempts,
    faults: row.faults,
    input_tokens: row.inputTokens,
    cached_tokens: row.cachedTokens,
    output_tokens: row.outputTokens,
    cost_usd: row.costUsd,
    unpriced: row.unpriced,
    ...(latency && { p50_ms: latency.p50Ms, p95_ms: latency.p95Ms }),
    ...(attemptLatency && { attempt_p50_ms: attemptLatency.p50Ms, attempt_p95_ms: attemptLatency.p95Ms }),
  }
}
