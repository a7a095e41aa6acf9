import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isSqlite } from './migrations/dialect.ts'

/** The clock of the database, which all gateways share, in milliseconds since the epoch. */
export function databaseNow(database: Kysely<any>): RawBuilder<number> {
  return isSqlite(database)
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
}
