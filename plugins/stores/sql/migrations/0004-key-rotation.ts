import type { Kysely } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  // SQLite adds one column per statement.
  await database.schema.alterTable('api_key').addColumn('previous_hash', 'text').execute()
  await database.schema.alterTable('api_key').addColumn('previous_valid_until', 'bigint').execute()
}
