import type { Kysely } from 'kysely'
import { isSqlite } from './migrations/dialect.ts'
import type { Tables } from './tables.ts'

/** A transaction in SQLite has the whole database for itself. */
export function forUpdate<Q extends { forUpdate(): Q }>(transaction: Kysely<Tables>, query: Q): Q {
  return isSqlite(transaction) ? query : query.forUpdate()
}
