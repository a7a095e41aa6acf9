import { sql, type CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type { RecordFacts } from '../../../../core/index.ts'
import { isSqlite } from '../migrations/dialect.ts'
import type { Tables } from '../tables.ts'
import { addedBy, rollUpMs, usageKey, usageSums } from './added.ts'
import { jsonRows, type ColumnTypes } from './json-rows.ts'
import { sumStatements } from './sums.ts'

/** Of `Added`. */
const columns = {
  at: 'bigint',
  org: 'text',
  team: 'text',
  key_id: 'text',
  model: 'text',
  provider: 'text',
  requests: 'integer',
  errors: 'integer',
  input_tokens: 'bigint',
  cached_tokens: 'bigint',
  output_tokens: 'bigint',
  cost: 'bigint',
  unpriced: 'integer',
  duration: 'integer',
} as const satisfies ColumnTypes

const addedUsage = sql.join(usageSums.map(column => sql`sum(${sql.ref(column)})`))

const buckets = sql.join(
  Object.entries(rollUpMs).map(
    ([name, ms]) =>
      sql`select ${sql.lit(name)} as bucket, ${sql.lit(ms)} as ms, ${sql.lit(Number(name !== 'day-models'))} as has_key,
        ${sql.lit(Number(name !== 'day-keys'))} as has_model`,
  ),
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
export function rollUps(transaction: Kysely<Tables>, records: readonly RecordFacts[]): readonly CompiledQuery[] {
  if (records.length === 0) return []
  if (isSqlite(transaction)) return sumStatements(records.map(addedBy))
  const added = sql`(${jsonRows(columns, records.map(addedBy))}) as added`
  // In the order of their keys, so that two gateways never wait for each other.
  const usage = sql`
    insert into ${sql.table('usage')} (${sql.join([...usageKey, ...usageSums].map(column => sql.ref(column)))})
    select ${bucketAndGroup}, ${addedUsage} from ${added} cross join (${buckets}) as buckets
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (${sql.join(usageKey.map(column => sql.ref(column)))}) do update set ${addition('usage', usageSums)}`
  const latency = sql`
    insert into usage_latency (${sql.join([...usageKey, 'duration', 'answers'].map(column => sql.ref(column)))})
    select ${bucketAndGroup}, duration, count(*) from ${added} cross join (${buckets}) as buckets where duration is not null
    group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (${sql.join([...usageKey, 'duration'].map(column => sql.ref(column)))})
    do update set ${addition('usage_latency', ['answers'])}`
  const keys = sql`
    insert into key_use (key_id, requests, cost, last_used_at)
    select key_id, count(*), sum(cost), max(at) from ${added} where key_id <> '' group by 1 order by 1
    on conflict (key_id) do update set ${addition('key_use', ['requests', 'cost'])},
      last_used_at = case when excluded.last_used_at > key_use.last_used_at then excluded.last_used_at else key_use.last_used_at end`
  return [usage, latency, keys].map(statement => statement.compile(transaction))
}

function addition(table: string, sums: readonly string[]): RawBuilder<unknown> {
  return sql.join(sums.map(column => sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`))
}
