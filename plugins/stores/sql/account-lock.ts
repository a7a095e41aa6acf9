import { sql, type Kysely, type Transaction } from 'kysely'
import { isSqlite } from './migrations/dialect.ts'
import type { Tables } from './tables.ts'

/** Any number: it names the lock among those of this database. */
const lockId = 1_380_012_020

/** Runs while no other process adds or removes accounts or keys. In SQLite, every transaction already runs alone. */
export async function lockedAccounts<T>(database: Kysely<Tables>, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
  return await database.transaction().execute(async transaction => {
    if (!isSqlite(transaction)) await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(transaction)
    return await work(transaction)
  })
}
