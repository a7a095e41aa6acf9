import type { CreateTableBuilder, Kysely } from 'kysely'
import { keyedStorage } from './dialect.ts'

const sums = [
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  // Whole nano-dollars.
  'cost',
  'unpriced',
  'caller_errors',
  'policy_errors',
  'vendor_errors',
  'gateway_errors',
  'attempts',
  'failed_attempts',
  'faults',
]

/** Sums of the records of each session. An empty text stands for null, which a key cannot contain. */
export async function up(database: Kysely<unknown>): Promise<void> {
  let table: CreateTableBuilder<'usage_session', string> = database.schema
    .createTable('usage_session')
    .addColumn('bucket', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
  for (const name of ['session', 'org', 'team', 'key_id', 'model', 'provider'])
    table = table.addColumn(name, 'text', column => column.notNull())
  for (const name of sums) table = table.addColumn(name, 'bigint', column => column.notNull())
  await table
    .addPrimaryKeyConstraint('usage_session_key', ['bucket', 'at', 'session', 'org', 'team', 'key_id', 'model', 'provider'])
    .modifyEnd(keyedStorage(database))
    .execute()
  await database.schema.createIndex('usage_session_name').on('usage_session').columns(['session', 'bucket', 'at']).execute()
  await database.schema.createIndex('usage_session_org').on('usage_session').columns(['org', 'bucket', 'at']).execute()
}
