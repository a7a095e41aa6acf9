import { sql, type Kysely } from 'kysely'

/** Indexes for lists of records that are sorted by a number, and of failed requests. The first has every number, so that no row is read. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createIndex('record_measures')
    .on('record')
    .columns(['at', 'id', 'elapsed_ms', 'first_event_ms', 'input_tokens', 'output_tokens', 'cost_usd'])
    .execute()
  await sql`create index record_failed on record (at, id) where (status >= 400 or reason is not null)`.execute(database)
  await sql`create index record_error_code on record (error_code, at, id) where error_code is not null`.execute(database)
}
