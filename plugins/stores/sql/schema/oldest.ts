import type { Kysely } from 'kysely'
import { needsRevision } from './marks.ts'

/**
 * For a migration that takes something away (docs/upgrades.md). From then on, gateways that know fewer revisions refuse the database. `version`
 * is the oldest that may use it, for their message.
 */
export async function raiseOldest(database: Kysely<any>, revision: number, version: string): Promise<void> {
  await database.updateTable('schema_state').set({ oldest_revision: revision, oldest_version: version }).execute()
  await database
    .insertInto('kysely_migration')
    .values({ name: needsRevision(revision), timestamp: new Date().toISOString() })
    .execute()
}
