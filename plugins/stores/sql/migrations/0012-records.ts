import type { Kysely } from 'kysely'
import { bytesType, keyedStorage } from './dialect.ts'

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('record')
    .addColumn('id', 'text', column => column.notNull().unique())
    .addColumn('answer_id', 'text')
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('method', 'text', column => column.notNull())
    .addColumn('path', 'text', column => column.notNull())
    .addColumn('status', 'integer', column => column.notNull())
    .addColumn('elapsed_ms', 'double precision', column => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('org', 'text')
    .addColumn('team', 'text')
    .addColumn('user', 'text')
    .addColumn('owner', 'text')
    .addColumn('stream', 'integer', column => column.notNull())
    .addColumn('requested_model', 'text')
    .addColumn('model', 'text')
    .addColumn('provider', 'text')
    .addColumn('cost_usd', 'double precision')
    .addColumn('error_code', 'text')
    // JSON.
    .addColumn('usage', 'text')
    .addColumn('policy', 'text')
    .addColumn('routing', 'text')
    .addColumn('attempts', 'text', column => column.notNull())
    .addColumn('notes', 'text', column => column.notNull())
    .execute()
  await database.schema.createIndex('record_answer').on('record').column('answer_id').execute()
  await database.schema.createIndex('record_age').on('record').columns(['at', 'id']).execute()
  await database.schema.createIndex('record_key').on('record').columns(['key_id', 'at', 'id']).execute()
  await database.schema.createIndex('record_key_status').on('record').columns(['key_id', 'status', 'at', 'id']).execute()
  await database.schema.createIndex('record_org').on('record').columns(['org', 'at', 'id']).execute()
  await database.schema.createIndex('record_status').on('record').columns(['status', 'at', 'id']).execute()
  await database.schema.createIndex('record_model').on('record').columns(['model', 'at', 'id']).execute()

  await database.schema
    .createTable('record_content')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('sealed', bytesType(database), column => column.notNull())
    .execute()
  await database.schema.createIndex('record_content_age').on('record_content').columns(['at', 'id']).execute()
  await database.schema.createIndex('record_content_org').on('record_content').columns(['org', 'at', 'id']).execute()
  await database.schema.createIndex('response_org').on('response').columns(['org', 'created_at']).execute()

  // Sums of records. An empty text stands for null, which a key cannot contain.
  await database.schema
    .createTable('usage')
    .addColumn('bucket', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('team', 'text', column => column.notNull())
    .addColumn('key_id', 'text', column => column.notNull())
    .addColumn('model', 'text', column => column.notNull())
    .addColumn('provider', 'text', column => column.notNull())
    .addColumn('requests', 'bigint', column => column.notNull())
    .addColumn('errors', 'bigint', column => column.notNull())
    .addColumn('input_tokens', 'bigint', column => column.notNull())
    .addColumn('cached_tokens', 'bigint', column => column.notNull())
    .addColumn('output_tokens', 'bigint', column => column.notNull())
    // Whole nano-dollars.
    .addColumn('cost', 'bigint', column => column.notNull())
    .addColumn('unpriced', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('usage_key', ['bucket', 'at', 'org', 'team', 'key_id', 'model', 'provider'])
    .modifyEnd(keyedStorage(database))
    .execute()

  await database.schema
    .createTable('key_use')
    .addColumn('key_id', 'text', column => column.primaryKey())
    .addColumn('requests', 'bigint', column => column.notNull())
    // Whole nano-dollars.
    .addColumn('cost', 'bigint', column => column.notNull())
    .addColumn('last_used_at', 'bigint', column => column.notNull())
    .execute()
}
