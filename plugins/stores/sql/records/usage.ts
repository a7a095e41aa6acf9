import { sql, type Kysely } from 'kysely'
import type { UsageGroup, UsageQuery, UsageRow } from '../../../../core/index.ts'
import type { Tables } from '../tables.ts'
import { rollUpMs } from './roll-up.ts'
import type { UsageTable } from './tables.ts'

const dayMs = 24 * 60 * 60 * 1000
const groupColumns = { model: 'model', provider: 'provider', key: 'key_id', team: 'team', org: 'org' } as const satisfies Readonly<
  Record<UsageGroup, keyof UsageTable>
>
const sumColumns = {
  requests: 'requests',
  errors: 'errors',
  inputTokens: 'input_tokens',
  cachedTokens: 'cached_tokens',
  outputTokens: 'output_tokens',
  cost: 'cost',
  unpriced: 'unpriced',
} as const

type SumRow = Readonly<Record<keyof typeof sumColumns, number>> & Readonly<Partial<Record<UsageGroup, string>>> & { readonly start: number }

/** Reads the sums of minutes or hours. Days are added up from hours. */
export async function readUsage(database: Kysely<Tables>, query: UsageQuery): Promise<readonly UsageRow[]> {
  const { bucket, groupBy, from, to, org, team, key, limit } = query
  const stored = bucket === 'minute' ? 'minute' : 'hour'
  const start = bucket === 'day' ? sql<number>`at - at % ${sql.lit(dayMs)}` : sql<number>`at`
  const groups = [...new Set(groupBy)]
  const sums = Object.entries(sumColumns).map(([name, column]) => sql`cast(sum(${sql.ref(column)}) as bigint) as ${sql.ref(name)}`)
  const { rows } = await sql<SumRow>`
    select ${sql.join([sql`${start} as start`, ...groups.map(group => sql`${sql.ref(groupColumns[group])} as ${sql.ref(group)}`), ...sums])}
    from ${sql.table('usage')}
    where ${sql.join(
      [
        sql`bucket = ${stored}`,
        sql`at >= ${from - (from % rollUpMs[stored])}`,
        sql`at < ${to}`,
        ...(org === undefined ? [] : [sql`org = ${org}`]),
        ...(team === undefined ? [] : [sql`team = ${team}`]),
        ...(key === undefined ? [] : [sql`key_id = ${key}`]),
      ],
      sql` and `,
    )}
    group by ${sql.join([start, ...groups.map(group => sql.ref(groupColumns[group]))])}
    order by 1
    limit ${limit}`.execute(database)
  return rows.map(row => rowFrom(row, groups))
}

function rowFrom({ start, cost, ...row }: SumRow, groups: readonly UsageGroup[]): UsageRow {
  const { requests, errors, inputTokens, cachedTokens, outputTokens, unpriced } = row
  const group = Object.fromEntries(groups.map(name => [name, row[name] === '' ? null : row[name]!]))
  return { at: start, group, requests, errors, inputTokens, cachedTokens, outputTokens, costUsd: cost / 1e9, unpriced }
}
