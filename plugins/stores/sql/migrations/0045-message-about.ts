import type { Kysely } from 'kysely'

/** The organization that a message is about, so that none takes all the room of a target. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('alert_message').addColumn('about', 'text').execute()
}
