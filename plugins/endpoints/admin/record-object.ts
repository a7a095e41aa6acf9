import { policyFields } from '../../../core/admin.ts'
import type { JsonObject } from '../../../core/index.ts'
import type { RecordFacts } from '../../../core/stores.ts'
import { time } from './replies.ts'
import { snakeCase } from './snake-case.ts'

/** A record as the API shows it, without content. */
export function recordObject(record: RecordFacts): JsonObject {
  const { usage, policy } = record
  return {
    object: 'record',
    id: record.id,
    answer_id: record.answerId,
    created_at: time(record.at),
    method: record.method,
    path: record.path,
    status: record.status,
    elapsed_ms: record.elapsedMs,
    key: record.keyId,
    org: record.org,
    team: record.team,
    user: record.user,
    stream: record.stream,
    requested_model: record.requestedModel,
    model: record.model,
    provider: record.provider,
    attempts: snakeCase(record.attempts),
    routing: snakeCase(record.routing),
    usage: usage && {
      input_tokens: usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
      uncached_input_tokens: usage.uncachedInput,
      cached_tokens: usage.cacheRead,
      cache_write_5m_tokens: usage.cacheWrite5m,
      cache_write_1h_tokens: usage.cacheWrite1h,
      output_tokens: usage.output,
      reasoning_tokens: usage.reasoning,
      estimated: usage.estimated === true,
    },
    cost_usd: record.costUsd,
    error_code: record.errorCode,
    policy: policy && Object.fromEntries(policyFields.map(field => [field, policy[field].value])),
    policy_source: policy && Object.fromEntries(policyFields.map(field => [field, policy[field].source])),
    notes: record.notes,
  }
}
