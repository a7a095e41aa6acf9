import { sql, type Kysely } from 'kysely'
import type { RecordFacts } from '../../../../core/index.ts'
import { storableText } from '../storable-text.ts'
import type { Tables } from '../tables.ts'
import { durationBucket } from './durations.ts'
import type { KeyUseTable, UsageLatencyTable, UsageTable } from './tables.ts'

type Sums<T> = { -readonly [Member in keyof T]: T[Member] }

const dayMs = 86_400_000
/** Charts of months are drawn from days, which are also added up without keys, and without models. */
export const rollUpMs = { minute: 60_000, hour: 3_600_000, day: dayMs, 'day-models': dayMs, 'day-keys': dayMs } as const
const buckets = Object.keys(rollUpMs) as (keyof typeof rollUpMs)[]

const usageKey = ['bucket', 'at', 'org', 'team', 'key_id', 'model', 'provider'] as const
const usageSums = ['requests', 'errors', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost', 'unpriced'] as const
const latencyKey = [...usageKey, 'duration'] as const
/** Postgres allows 65,535 parameters in a statement, SQLite 32,766. */
const rowsInStatement = 1_000

/** Adds records to the sums from which charts are drawn. */
export async function rollUp(transaction: Kysely<Tables>, records: readonly RecordFacts[]): Promise<void> {
  const usage = buckets.flatMap(bucket => usageOf(records, bucket))
  for (let index = 0; index < usage.length; index += rowsInStatement)
    await transaction
      .insertInto('usage')
      .values(usage.slice(index, index + rowsInStatement))
      .onConflict(conflict => conflict.columns(usageKey).doUpdateSet(added('usage', usageSums)))
      .execute()
  const latency = buckets.flatMap(bucket => latencyOf(records, bucket))
  for (let index = 0; index < latency.length; index += rowsInStatement)
    await transaction
      .insertInto('usage_latency')
      .values(latency.slice(index, index + rowsInStatement))
      .onConflict(conflict => conflict.columns(latencyKey).doUpdateSet(added('usage_latency', ['answers'])))
      .execute()
  const uses = usesOf(records)
  if (uses.length === 0) return
  await transaction
    .insertInto('key_use')
    .values(uses)
    .onConflict(conflict =>
      conflict.column('key_id').doUpdateSet({
        ...added('key_use', ['requests', 'cost']),
        last_used_at: sql`case when excluded.last_used_at > key_use.last_used_at then excluded.last_used_at else key_use.last_used_at end`,
      }),
    )
    .execute()
}

/** In the order of their keys, so that two gateways never wait for each other. */
function usageOf(records: readonly RecordFacts[], bucket: UsageTable['bucket']): readonly UsageTable[] {
  const rows = new Map<string, Sums<UsageTable>>()
  for (const record of records) {
    const { status, usage, costUsd } = record
    const key = keyOf(record, bucket)
    const name = JSON.stringify(Object.values(key))
    let row = rows.get(name)
    if (!row) {
      row = { ...key, requests: 0, errors: 0, input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost: 0, unpriced: 0 }
      rows.set(name, row)
    }
    row.requests++
    if (status >= 400) row.errors++
    if (usage) {
      row.input_tokens += usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h
      row.cached_tokens += usage.cacheRead
      row.output_tokens += usage.output
      if (costUsd === null) row.unpriced++
    }
    row.cost += nanoDollars(costUsd)
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** Of the requests that a provider answered, in the order of their keys. */
function latencyOf(records: readonly RecordFacts[], bucket: UsageTable['bucket']): readonly UsageLatencyTable[] {
  const rows = new Map<string, Sums<UsageLatencyTable>>()
  for (const record of records) {
    if (record.provider === null || record.status >= 400) continue
    const key = { ...keyOf(record, bucket), duration: durationBucket(record.elapsedMs) }
    const name = JSON.stringify(Object.values(key))
    const row = rows.get(name)
    if (row) row.answers++
    else rows.set(name, { ...key, answers: 1 })
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

const nothing = { org: '', team: '', key_id: '', model: '', provider: '' }

function keyOf(
  { at, org, team, keyId, model, provider }: RecordFacts,
  bucket: UsageTable['bucket'],
): Pick<UsageTable, (typeof usageKey)[number]> {
  const owner = bucket === 'day-models' ? {} : { org: org ?? '', team: team ?? '', key_id: keyId ?? '' }
  const answerer = bucket === 'day-keys' ? {} : { model: storableText(model ?? ''), provider: provider ?? '' }
  return { bucket, at: at - (at % rollUpMs[bucket]), ...nothing, ...owner, ...answerer }
}

function usesOf(records: readonly RecordFacts[]): readonly KeyUseTable[] {
  const uses = new Map<string, Sums<KeyUseTable>>()
  for (const { keyId, at, costUsd } of records) {
    if (keyId === null) continue
    let use = uses.get(keyId)
    if (!use) uses.set(keyId, (use = { key_id: keyId, requests: 0, cost: 0, last_used_at: 0 }))
    use.requests++
    use.cost += nanoDollars(costUsd)
    use.last_used_at = Math.max(use.last_used_at, at)
  }
  return [...uses.values()].sort((a, b) => (a.key_id < b.key_id ? -1 : 1))
}

function added<C extends string>(table: string, columns: readonly C[]): Record<C, ReturnType<typeof sql<number>>> {
  const sums = columns.map(column => [column, sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`])
  return Object.fromEntries(sums) as Record<C, ReturnType<typeof sql<number>>>
}

function nanoDollars(usd: number | null): number {
  return Math.round((usd ?? 0) * 1e9)
}
