import type { Kysely } from 'kysely'

/** One row: the oldest version of the gateway that may use the database. See docs/upgrades.md. */
export async function up(database: Kysely<any>): Promise<void> {
  await database.schema
    .createTable('schema_state')
    .addColumn('id', 'integer', column => column.primaryKey())
    // The number of the newest migration that a version must know.
    .addColumn('oldest_revision', 'integer', column => column.notNull())
    // For people.
    .addColumn('oldest_version', 'text', column => column.notNull())
    .execute()
  await database.insertInto('schema_state').values({ id: 1, oldest_revision: 38, oldest_version: '0.1.0' }).execute()
}
