import { sql, type CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type { NamedModels, RecordFacts } from '../../../../core/stores.ts'
import { isSqlite } from '../migrations/dialect.ts'
import type { Tables } from '../tables.ts'
import { addedBy, latencySums, mayBeNull, rollUpMs, sessionKey, sessionRollUpMs, usageKey, usageSums } from './added.ts'
import { jsonRows, type ColumnTypes } from './json-rows.ts'
import { sumStatements } from './sums.ts'

const placeColumns = {
  at: 'bigint',
  org: 'text',
  team: 'text',
  key_id: 'text',
  model: 'text',
  provider: 'text',
} as const satisfies ColumnTypes
/** Of `AddedUsage`. */
const usageColumns: ColumnTypes = { ...placeColumns, ...Object.fromEntries(usageSums.map(name => [name, 'bigint' as const])) }
/** Of `AddedSession`. */
const sessionColumns: ColumnTypes = { session: 'text', ...usageColumns }
/** Of `AddedTime`. */
const timeColumns: ColumnTypes = { ...placeColumns, duration: 'integer', answers: 'bigint', attempts: 'bigint' }

const buckets = sql.join(
  Object.entries(rollUpMs).map(
    ([name, ms]) =>
      sql`select ${sql.lit(name)} as bucket, ${sql.lit(ms)} as ms, ${sql.lit(Number(name !== 'day-models'))} as has_key,
        ${sql.lit(Number(name !== 'day-keys'))} as has_model`,
  ),
  sql` union all `,
)
const sessionBuckets = sql.join(
  Object.entries(sessionRollUpMs).map(([name, ms]) => sql`select ${sql.lit(name)} as bucket, ${sql.lit(ms)} as ms`),
  sql` union all `,
)
/** The columns of `usageKey`. */
const bucketAndGroup = sql.join([
  sql`bucket`,
  sql`at - at % ms`,
  ...['org', 'team', 'key_id'].map(column => sql`case has_key when 1 then ${sql.ref(column)} else '' end`),
  ...['model', 'provider'].map(column => sql`case has_model when 1 then ${sql.ref(column)} else '' end`),
])

/** Add records to the sums from which charts are drawn. */
export function rollUps(transaction: Kysely<Tables>, records: readonly RecordFacts[], named: NamedModels): readonly CompiledQuery[] {
  if (records.length === 0) return []
  const added = addedBy(records, named)
  if (isSqlite(transaction)) return sumStatements(added)
  const usageRows = sql`(${jsonRows(usageColumns, added.usage)}) as added`
  const timeRows = sql`(${jsonRows(timeColumns, added.times)}) as added`
  // In the order of their keys, so that two gateways never wait for each other.
  const usage = sql`
    insert into ${sql.table('usage')} (${names([...usageKey, ...usageSums])})
    select ${bucketAndGroup}, ${sumsOf(usageSums)} from ${usageRows} cross join (${buckets}) as buckets
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (${names(usageKey)}) do update set ${addition('usage', usageSums)}`
  const latency = sql`
    insert into usage_latency (${names([...usageKey, 'duration', ...latencySums])})
    select ${bucketAndGroup}, duration, ${sumsOf(latencySums)} from ${timeRows} cross join (${buckets}) as buckets
    group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (${names([...usageKey, 'duration'])}) do update set ${addition('usage_latency', latencySums)}`
  const sessions = sql`
    insert into usage_session (${names([...sessionKey, ...usageSums])})
    select session, bucket, at - at % ms, org, team, key_id, model, provider, ${sumsOf(usageSums)}
    from (${jsonRows(sessionColumns, added.sessions)}) as added cross join (${sessionBuckets}) as buckets
    group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (${names(sessionKey)}) do update set ${addition('usage_session', usageSums)}`
  const keys = sql`
    insert into key_use (key_id, requests, cost, last_used_at)
    select key_id, sum(requests), sum(cost), max(at) from ${usageRows} where key_id <> '' group by 1 order by 1
    on conflict (key_id) do update set ${addition('key_use', ['requests', 'cost'])},
      last_used_at = case when excluded.last_used_at > key_use.last_used_at then excluded.last_used_at else key_use.last_used_at end`
  return [...(added.sessions.length > 0 ? [sessions] : []), usage, latency, keys].map(statement => statement.compile(transaction))
}

function names(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map(column => sql.ref(column)))
}

function sumsOf(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map(column => sql`sum(${sql.ref(column)})`))
}

function addition(table: 'usage' | 'usage_session' | 'usage_latency' | 'key_use', sums: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    sums.map(column => {
      const known = sql.ref(`${table}.${column}`)
      const counted = table === 'usage' && mayBeNull(column) ? sql`coalesce(${known}, 0)` : known
      return sql`${sql.ref(column)} = ${counted} + ${sql.ref(`excluded.${column}`)}`
    }),
  )
}
