import { sql, type Kysely, type RawBuilder } from 'kysely'
import { recordFilters, snakeCase, type PageQuery, type RecordFilter, type RecordFilterName } from '../../../../core/stores.ts'
import { isSqlite } from '../migrations/dialect.ts'
import { beforeInTime } from '../page.ts'
import type { Tables } from '../tables.ts'
import { nameAsked } from './asked.ts'
import { costLevelOf, maxCounted, narrowestIndex, type FittingIndex } from './narrowest.ts'
import type { RecordTable } from './tables.ts'

/** The newest first. A record is found by every model and provider that it asked. */
export async function readPage(database: Kysely<Tables>, filter: RecordFilter, query: PageQuery): Promise<readonly RecordTable[]> {
  const own = await readOwn(database, filter, query)
  const name = nameAsked(filter)
  if (name === undefined) return own
  const others = await readAsked(database, name, { ...filter, model: undefined, provider: undefined }, query)
  if (others.length === 0) return own
  const all = [...own, ...others].toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  return all.slice(0, query.limit)
}

/** By their own model and provider. */
async function readOwn(database: Kysely<Tables>, filter: RecordFilter, query: PageQuery): Promise<readonly RecordTable[]> {
  const index = await narrowestIndex(database, filter, each => countOf(database, each))
  return await readBy(database, index, wanted(filter), query)
}

/** Those that asked a model or provider besides their own. */
async function readAsked(database: Kysely<Tables>, name: string, filter: RecordFilter, query: PageQuery): Promise<readonly RecordTable[]> {
  const { from, to, ...others } = filter
  const named = sql.join(
    [
      sql`asked.name = ${name}`,
      ...(from === undefined ? [] : [sql`asked.at >= ${from}`]),
      ...(to === undefined ? [] : [sql`asked.at < ${to}`]),
    ],
    sql` and `,
  )
  if (isSqlite(database)) {
    const asked = await countUpTo(database, sql`record_asked as asked where ${named}`)
    if (asked === 0) return []
    // SQLite does not know which of the two is rarer.
    const index = asked < maxCounted ? undefined : await narrowestIndex(database, filter, each => countOf(database, each))
    if (index && (await countOf(database, index)) < asked) {
      const isAsked = sql`exists (select 1 from record_asked where name = ${name} and at = record.at and id = record.id)`
      return await readBy(database, index, sql`${wanted(filter)} and ${isAsked}`, query)
    }
  }
  // SQLite goes through a cross join from left to right.
  const join = sql.raw(isSqlite(database) ? 'cross join record on' : 'join record on')
  const { rows } = await sql<RecordTable>`
    select record.* from record_asked as asked ${join} record.id = asked.id
    where ${named} and ${wanted(others)} ${query.after ? sql`and ${beforeInTime('asked.at', query.after, 'asked.id')}` : sql``}
    order by asked.at desc, asked.id desc limit ${query.limit}`.execute(database)
  return rows
}

async function readBy(
  database: Kysely<Tables>,
  index: FittingIndex | undefined,
  condition: RawBuilder<unknown>,
  { after, limit }: PageQuery,
): Promise<readonly RecordTable[]> {
  const { rows } = await sql<RecordTable>`
    select * from ${tableBy(index)} where ${condition} ${after ? sql`and ${beforeInTime('at', after)}` : sql``}
    order by at desc, id desc limit ${limit}`.execute(database)
  return rows
}

export function tableBy(index: FittingIndex | undefined): RawBuilder<unknown> {
  return index ? sql`record indexed by ${sql.ref(index.name)}` : sql`record`
}

export function countOf(database: Kysely<Tables>, index: FittingIndex): Promise<number> {
  return countUpTo(database, sql`${tableBy(isSqlite(database) ? index : undefined)} where ${wanted(index.fulfilled)}`)
}

async function countUpTo(database: Kysely<Tables>, rows: RawBuilder<unknown>): Promise<number> {
  const counted = await sql<{ readonly count: number }>`
    select count(*) as count from (select 1 from ${rows} limit ${maxCounted}) as counted`.execute(database)
  return counted.rows[0]!.count
}

/** As in the index of failed requests. */
const failedCondition = sql`(status >= 400 or reason is not null)`

/** Of the record's own model and provider. */
export function wanted({ id, from, to, minCostUsd, status, failed, ...equal }: RecordFilter): RawBuilder<unknown> {
  const conditions = [
    ...(id === undefined ? [] : [sql`(record.id = ${id} or answer_id = ${id})`]),
    // Written out, so that the database sees that an index of errors fits.
    ...(status === undefined ? [] : [status === 'error' ? sql`status >= 400` : sql`status = ${status}`]),
    ...(failed === undefined ? [] : [failedCondition]),
    ...Object.entries(equal).flatMap(([name, value]) =>
      value === undefined ? [] : [sql`${columnBy(name as RecordFilterName)} = ${value}`],
    ),
    ...(from === undefined ? [] : [sql`record.at >= ${from}`]),
    ...(to === undefined ? [] : [sql`record.at < ${to}`]),
    ...(minCostUsd === undefined ? [] : costing(minCostUsd)),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

function columnBy(filter: RecordFilterName): RawBuilder<unknown> {
  return sql.ref(snakeCase(recordFilters[filter]))
}

/** The level is written out, so that the database sees that its index fits. An unknown cost counts as 0. */
function costing(minCostUsd: number): readonly RawBuilder<unknown>[] {
  if (minCostUsd <= 0) return []
  const level = costLevelOf(minCostUsd)
  return [...(level ? [sql`cost_usd >= ${sql.lit(level.leastUsd)}`] : []), sql`cost_usd >= ${minCostUsd}`]
}
