import { sql, type Kysely } from 'kysely'
import { keyedStorage } from './dialect.ts'

export async function up(database: Kysely<unknown>): Promise<void> {
  // How long answers took. An empty text stands for null, which a key cannot contain.
  await database.schema
    .createTable('usage_latency')
    .addColumn('bucket', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('team', 'text', column => column.notNull())
    .addColumn('key_id', 'text', column => column.notNull())
    .addColumn('model', 'text', column => column.notNull())
    .addColumn('provider', 'text', column => column.notNull())
    .addColumn('duration', 'integer', column => column.notNull())
    .addColumn('answers', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('usage_latency_key', ['bucket', 'at', 'org', 'team', 'key_id', 'model', 'provider', 'duration'])
    .modifyEnd(keyedStorage(database))
    .execute()
  // Errors are rare, so a page of them would read many records without it.
  await sql`create index record_error on record (at, id) where status >= 400`.execute(database)
}
