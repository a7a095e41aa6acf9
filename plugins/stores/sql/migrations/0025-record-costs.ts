import { sql, type Kysely } from 'kysely'

/** Indexes of the records that cost much, which are few: see `costLevels`. They have the cost, so that only what is wanted is read. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index record_cost_cent on record (at, id, cost_usd) where cost_usd >= 0.01`.execute(database)
  await sql`create index record_cost_dime on record (at, id, cost_usd) where cost_usd >= 0.1`.execute(database)
  await sql`create index record_cost_dollar on record (at, id, cost_usd) where cost_usd >= 1`.execute(database)
}
