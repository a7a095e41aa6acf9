import { SqliteAdapter, sql, type Kysely, type RawBuilder } from 'kysely'

// Differences between databases in table definitions.

/** The type of a column of bytes. */
export function bytesType(database: Kysely<unknown>): 'blob' | 'bytea' {
  return isSqlite(database) ? 'blob' : 'bytea'
}

/** For a table that is only accessed by its primary key: SQLite then stores the rows in the key's index, without a second copy. */
export function keyedStorage(database: Kysely<unknown>): RawBuilder<unknown> {
  return isSqlite(database) ? sql`without rowid` : sql``
}

/** The type of a column of texts that are ordered by their bytes, so that an index finds those that begin alike. SQLite always does so. */
export function bytewiseText(database: Kysely<unknown>): 'text' | RawBuilder<unknown> {
  return isSqlite(database) ? 'text' : sql`text collate "C"`
}

export function isSqlite(database: Kysely<any>): boolean {
  return database.getExecutor().adapter instanceof SqliteAdapter
}
