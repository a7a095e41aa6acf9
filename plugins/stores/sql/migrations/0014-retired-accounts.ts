import type { Kysely } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('retired_account')
    .addColumn('level', 'text', column => column.notNull())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('retired_account_key', ['level', 'org', 'id'])
    .execute()
}
