import type { Kysely } from 'kysely'

/** Sessions of the dashboard that somebody signed out of. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('sign_out')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('kept_until', 'bigint', column => column.notNull())
    .execute()
}
