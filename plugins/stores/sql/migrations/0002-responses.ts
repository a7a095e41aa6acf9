import type { Kysely } from 'kysely'
import { bytesType, keyedStorage } from './dialect.ts'

export async function up(database: Kysely<unknown>): Promise<void> {
  const bytes = bytesType(database)
  await database.schema
    .createTable('data_key')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('sealed', bytes, column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  await database.schema.createIndex('data_key_newest').on('data_key').columns(['org', 'created_at']).execute()

  await database.schema
    .createTable('response')
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('previous_id', 'text')
    .addColumn('created_at', 'bigint', column => column.notNull())
    // Large columns last, because SQLite reads a row from its start.
    .addColumn('conversation', bytes, column => column.notNull())
    .addColumn('body', bytes, column => column.notNull())
    .addPrimaryKeyConstraint('response_key', ['owner', 'id'])
    .execute()
  await database.schema.createIndex('response_age').on('response').column('created_at').execute()

  await database.schema
    .createTable('response_item')
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('item_id', 'text', column => column.notNull())
    .addColumn('response_id', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('response_item_key', ['owner', 'item_id'])
    .modifyEnd(keyedStorage(database))
    .execute()
  await database.schema.createIndex('response_item_holder').on('response_item').columns(['owner', 'response_id']).execute()
}
