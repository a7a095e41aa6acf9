import { sql, type Kysely, type RawBuilder } from 'kysely'
import { snakeCase, type RankedQuery, type RecordFilter, type RecordMeasure } from '../../../../core/stores.ts'
import { isSqlite } from '../migrations/dialect.ts'
import type { Tables } from '../tables.ts'
import { nameAsked } from './asked.ts'
import { narrowestOf, type FittingIndex } from './narrowest.ts'
import { countOf, tableBy, wanted } from './page.ts'
import type { RecordTable } from './tables.ts'

/** Has the time and all numbers of a record, so that rows need not be read to sort them. */
const measuresIndex: FittingIndex = { name: 'record_measures', fulfilled: {} }

interface Ranked {
  readonly rows: readonly RecordTable[]
  readonly searchedFrom: number | null
}

/**
 * Sorts the newest records that one index finds. The other conditions only say which of them to show, so that no list reads more rows than
 * `among`, and as many again for the records that asked a model or provider besides their own.
 */
export async function readRanked(database: Kysely<Tables>, filter: RecordFilter, query: RankedQuery): Promise<Ranked> {
  const { by, ascending, after, limit } = query
  const windows = [await ownWindow(database, filter, query), ...askedWindow(filter, query)]
  const names = windows.map((_, index) => sql.ref(`window_${index}`))
  const tables = windows.map((window, index) => sql`${names[index]} as materialized (${window})`)
  const direction = sql.raw(ascending ? 'asc' : 'desc')
  const next = after ? sql`and (value, at, id) ${sql.raw(ascending ? '>' : '<')} (${after.value}, ${after.at}, ${after.id})` : sql``
  const all = sql.join(
    names.map(name => sql`select id, at, value from ${name} where fits = 1`),
    sql` union all `,
  )
  const edges = sql.join(
    names.map(name => sql`select min(at) as at from ${name} having count(*) > ${query.among}`),
    sql` union all `,
  )
  const { rows } = await sql<RecordTable & { readonly searched_from: number | null }>`
    with ${sql.join(tables)},
    best as (select * from (${all}) as found where value is not null ${next}
      order by value ${direction}, at ${direction}, id ${direction} limit ${limit}),
    searched as (select max(at) as searched_from from (${edges}) as edge)
    select record.*, searched.searched_from from searched left join best on true left join record on record.id = best.id
    order by best.value ${direction}, best.at ${direction}, best.id ${direction}`.execute(database)
  return { rows: rows.filter(({ id }) => id !== null), searchedFrom: rows[0]?.searched_from ?? null }

  /** By their own model and provider. */
  async function ownWindow(reader: Kysely<Tables>, own: RecordFilter, { among }: RankedQuery): Promise<RawBuilder<unknown>> {
    const { id, from, to } = own
    const index = id === undefined ? ((await narrowestOf(own, each => countOf(reader, each))) ?? measuresIndex) : undefined
    const found = index ? { from, to, ...index.fulfilled } : { from, to, id }
    return sql`select record.id, record.at, ${valueOf(by)} as value, ${fits(own)} as fits
      from ${tableBy(isSqlite(reader) ? index : undefined)} where ${wanted(found)} order by record.at desc, record.id desc limit ${among + 1}`
  }

  /** Those that asked a model or provider besides their own. */
  function askedWindow(asking: RecordFilter, { among }: RankedQuery): readonly RawBuilder<unknown>[] {
    const name = nameAsked(asking)
    if (name === undefined) return []
    const { from, to } = asking
    const others = fits({ ...asking, model: undefined, provider: undefined })
    const join = sql.raw(isSqlite(database) ? 'cross join record on' : 'join record on')
    return [
      sql`select record.id, record.at, ${valueOf(by)} as value, ${others} as fits
        from record_asked as asked ${join} record.id = asked.id
        where asked.name = ${name} ${from === undefined ? sql`` : sql`and asked.at >= ${from}`} ${to === undefined ? sql`` : sql`and asked.at < ${to}`}
        order by asked.at desc, asked.id desc limit ${among + 1}`,
    ]
  }

  /** 1 for the records to show. */
  function fits(shown: RecordFilter): RawBuilder<unknown> {
    const bounds = Object.entries(query.ranges).flatMap(([measure, { least, most }]) => {
      const value = valueOf(measure as RecordMeasure)
      return [
        ...(least === undefined ? [] : [sql`${value} >= ${fractional(least)}`]),
        ...(most === undefined ? [] : [sql`${value} <= ${fractional(most)}`]),
      ]
    })
    return sql`case when ${sql.join([wanted(shown), ...bounds], sql` and `)} then 1 else 0 end`
  }
}

/** Postgres would read a bound of a column of whole numbers as one, and refuse fractions and numbers that are too large. */
function fractional(bound: number): RawBuilder<unknown> {
  return sql`cast(${bound} as double precision)`
}

function valueOf(measure: RankedQuery['by']): RawBuilder<unknown> {
  if (measure === 'totalTokens') return sql`record.input_tokens + record.output_tokens`
  return sql.ref(`record.${snakeCase(measure)}`)
}
