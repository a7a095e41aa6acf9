import type { JsonObject, Policy, TokenUsage } from '../../../core/index.ts'
import { recordFields, type RecordFacts } from '../../../core/stores.ts'
import { policyFields, type ShownUsage } from '../../../core/admin.ts'
import { shownBy } from './shown-object.ts'
import { snakeCase } from './snake-case.ts'

const shown = shownBy(recordFields, { attempts: snakeCase, routing: snakeCase, usage: shownUsage, policy: valuesOf })

/** A record as the API shows it, without content. */
export function recordObject(record: RecordFacts): JsonObject {
  const { policy, attempts } = record
  const failed = attempts.findLast(isFailed)
  return {
    object: 'record',
    ...shown({
      ...record,
      policySource: policy && eachOf(policy, 'source'),
      vendorStatus: failed?.status,
      vendorCode: failed?.vendorCode,
      vendorRequestId: failed?.requestId,
    }),
  }
}

function isFailed({ outcome }: RecordFacts['attempts'][number]): boolean {
  return outcome !== 'ok' && outcome !== 'left' && outcome !== 'outrun'
}

function shownUsage(usage: TokenUsage): ShownUsage {
  return {
    input_tokens: usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
    uncached_input_tokens: usage.uncachedInput,
    cached_tokens: usage.cacheRead,
    cache_write_5m_tokens: usage.cacheWrite5m,
    cache_write_1h_tokens: usage.cacheWrite1h,
    output_tokens: usage.output,
    reasoning_tokens: usage.reasoning,
    estimated: usage.estimated === true,
  }
}

function valuesOf(policy: Policy) {
  return eachOf(policy, 'value')
}

function eachOf<M extends 'value' | 'source'>(policy: Policy, member: M) {
  const all = policyFields.map(field => [field, policy[field][member]])
  return Object.fromEntries(all) as Readonly<Record<keyof Policy, Policy['zdr'][M]>>
}
