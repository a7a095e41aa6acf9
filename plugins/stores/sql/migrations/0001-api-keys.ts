import type { Kysely } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('api_key')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('hash', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('team', 'text')
    .addColumn('user', 'text')
    // JSON.
    .addColumn('policy', 'text', column => column.notNull())
    .addColumn('models', 'text')
    .addColumn('providers', 'text')
    .addColumn('spend_cap_usd', 'double precision')
    // 0, 1, or null if not set.
    .addColumn('allow_unpriced', 'integer')
    .addColumn('tokens_per_minute', 'double precision')
    .addColumn('disabled', 'integer')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
}
