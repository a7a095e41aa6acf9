import type { RecordFacts } from '../../../../core/index.ts'
import { storableText } from '../storable-text.ts'
import { durationBucket } from './durations.ts'

const dayMs = 86_400_000
/**
 * Charts of months are drawn from days, which are also added up without keys, and without models. Quarters of an hour are for days of time
 * zones such as +5:45.
 */
export const rollUpMs = { minute: 60_000, quarter: 900_000, hour: 3_600_000, day: dayMs, 'day-models': dayMs, 'day-keys': dayMs } as const

export const usageKey = ['bucket', 'at', 'org', 'team', 'key_id', 'model', 'provider'] as const
export const usageSums = ['requests', 'errors', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost', 'unpriced'] as const

/** What one record adds. */
export type Added = readonly [
  at: number,
  org: string,
  team: string,
  key: string,
  model: string,
  provider: string,
  ...sums: readonly number[],
  duration: number | null,
]

/** There is a duration only if a provider answered. */
export function addedBy({ at, org, team, keyId, model, provider, status, usage, costUsd, elapsedMs }: RecordFacts): Added {
  const isError = status >= 400
  return [
    at,
    org ?? '',
    team ?? '',
    keyId ?? '',
    storableText(model ?? ''),
    provider ?? '',
    1,
    Number(isError),
    usage ? usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h : 0,
    usage?.cacheRead ?? 0,
    usage?.output ?? 0,
    Math.round((costUsd ?? 0) * 1e9),
    Number(usage !== null && costUsd === null),
    provider === null || isError ? null : durationBucket(elapsedMs),
  ]
}
