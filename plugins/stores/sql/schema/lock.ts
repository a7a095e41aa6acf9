import { sql, type Kysely } from 'kysely'

/** Any number: it names the lock among those of this database. */
const lockId = 1_380_012_023

/** Until the end of the transaction, no other gateway changes tables. For Postgres: on SQLite, one writes at a time anyway. */
export async function lockSchema(transaction: Kysely<any>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(transaction)
}
