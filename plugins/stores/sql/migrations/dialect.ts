import { SqliteAdapter, sql, type Kysely, type RawBuilder } from 'kysely'

// Where databases differ in what a table is made of.

/** The type of a column of bytes. */
export function bytesType(database: Kysely<unknown>): 'blob' | 'bytea' {
  return isSqlite(database) ? 'blob' : 'bytea'
}

/** The end of a table that is found by its primary key alone: SQLite then keeps the rows in the key's index, without a second copy. */
export function keyedStorage(database: Kysely<unknown>): RawBuilder<unknown> {
  return isSqlite(database) ? sql`without rowid` : sql``
}

function isSqlite(database: Kysely<unknown>): boolean {
  return database.getExecutor().adapter instanceof SqliteAdapter
}
