import type { Kysely } from 'kysely'
import { bytesType } from './dialect.ts'

export async function up(database: Kysely<unknown>): Promise<void> {
  const bytes = bytesType(database)
  await database.schema
    .createTable('conversation')
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('fence', 'bigint', column => column.notNull())
    .addColumn('leased_until', 'bigint')
    .addColumn('next_position', 'bigint', column => column.notNull())
    .addColumn('items', 'bigint', column => column.notNull())
    .addColumn('bytes', 'bigint', column => column.notNull())
    .addColumn('metadata', bytes, column => column.notNull())
    .addPrimaryKeyConstraint('conversation_key', ['owner', 'id'])
    .execute()
  await database.schema.createIndex('conversation_age').on('conversation').column('created_at').execute()

  await database.schema
    .createTable('conversation_item')
    .addColumn('conversation', 'text', column => column.notNull())
    .addColumn('position', 'bigint', column => column.notNull())
    .addColumn('item_id', 'text', column => column.notNull())
    // The large column last, because SQLite reads a row from its start.
    .addColumn('item', bytes, column => column.notNull())
    .addPrimaryKeyConstraint('conversation_item_key', ['conversation', 'position'])
    .execute()
  await database.schema.createIndex('conversation_item_id').unique().on('conversation_item').columns(['conversation', 'item_id']).execute()
}
