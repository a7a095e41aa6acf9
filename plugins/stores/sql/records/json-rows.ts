import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isSqlite } from '../migrations/dialect.ts'

/** The types of columns, in the order in which their values are sent. */
export type ColumnTypes = Readonly<Record<string, 'text' | 'bigint' | 'integer' | 'double precision'>>

/**
 * A query for rows that travel as one parameter in JSON, which takes a tenth of the time that a parameter for each value takes. Texts must be
 * storable.
 */
export function jsonRows(database: Kysely<any>, types: ColumnTypes, rows: readonly (readonly unknown[])[]): RawBuilder<unknown> {
  const text = JSON.stringify(rows)
  const isInSqlite = isSqlite(database)
  const columns = Object.entries(types).map(([name, type], index) => {
    const value = sql`value ->> ${sql.lit(index)}`
    return sql`${isInSqlite ? value : sql`(${value})::${sql.raw(type)}`} as ${sql.ref(name)}`
  })
  // Without `where`, SQLite would take a following `on conflict` for the condition of a join.
  return sql`select ${sql.join(columns)} from ${isInSqlite ? sql`json_each(${text})` : sql`json_array_elements(${text}::json)`} where true`
}
