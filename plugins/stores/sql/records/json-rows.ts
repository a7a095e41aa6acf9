import { sql, type RawBuilder } from 'kysely'

/** The types of columns, in the order in which their values are sent. */
export type ColumnTypes = Readonly<Record<string, 'text' | 'bigint' | 'integer' | 'double precision'>>

/**
 * A query for rows that travel to Postgres as one parameter in JSON, which takes a tenth of the time that a parameter for each value takes.
 * Texts must be storable. SQLite is faster with `rowStatement`.
 */
export function jsonRows(types: ColumnTypes, rows: readonly (readonly unknown[])[]): RawBuilder<unknown> {
  const columns = Object.entries(types).map(
    ([name, type], index) => sql`(value ->> ${sql.lit(index)})::${sql.raw(type)} as ${sql.ref(name)}`,
  )
  return sql`select ${sql.join(columns)} from json_array_elements(${JSON.stringify(rows)}::json)`
}
