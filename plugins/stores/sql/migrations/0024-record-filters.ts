import { sql, type Kysely } from 'kysely'

/** Indexes for every filter of records. Those of columns that are often null, and of errors, hold few rows. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.createIndex('record_provider').on('record').columns(['provider', 'at', 'id']).execute()
  await sql`create index record_team on record (team, at, id) where team is not null`.execute(database)
  await sql`create index record_user on record (${sql.ref('user')}, at, id) where ${sql.ref('user')} is not null`.execute(database)
  await sql`create index record_key_error on record (key_id, at, id) where status >= 400`.execute(database)
  await sql`create index record_org_error on record (org, at, id) where status >= 400`.execute(database)
}
