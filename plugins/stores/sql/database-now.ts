import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isSqlite } from './migrations/dialect.ts'
import type { Tables } from './tables.ts'

/** The clock of the database, which all gateways share, in milliseconds since the epoch. */
export function databaseNow(database: Kysely<Tables>): RawBuilder<number> {
  return isSqlite(database)
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
}

/** So many milliseconds from now, by the same clock. */
export function databaseIn(database: Kysely<Tables>, milliseconds: number): RawBuilder<number> {
  return sql<number>`${databaseNow(database)} + ${sql.lit(Math.round(milliseconds))}`
}

/** The same clock, to compare a column with: Postgres uses an index only if it reads the clock once. */
export function databaseTime(database: Kysely<Tables>): RawBuilder<number> {
  return sql<number>`(select ${databaseNow(database)})`
}
