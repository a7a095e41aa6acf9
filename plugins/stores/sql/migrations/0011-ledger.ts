import type { Kysely } from 'kysely'
import { keyedStorage } from './dialect.ts'

// Amounts are whole nano-dollars.

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('spend')
    // The period, a colon, and the account.
    .addColumn('name', 'text', column => column.notNull())
    // 0 without a period.
    .addColumn('period_start', 'bigint', column => column.notNull())
    .addColumn('spent', 'bigint', column => column.notNull())
    .addColumn('reserved', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('spend_key', ['name', 'period_start'])
    .modifyEnd(keyedStorage(database))
    .execute()

  await database.schema
    .createTable('credit')
    .addColumn('org', 'text', column => column.primaryKey())
    .addColumn('balance', 'bigint', column => column.notNull())
    .addColumn('reserved', 'bigint', column => column.notNull())
    .execute()

  await database.schema
    .createTable('credit_entry')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('amount', 'bigint', column => column.notNull())
    .addColumn('note', 'text')
    .addColumn('request_id', 'text')
    .execute()
  await database.schema.createIndex('credit_entry_age').on('credit_entry').columns(['org', 'at', 'id']).execute()

  await database.schema
    .createTable('credit_hold')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('process', 'text', column => column.notNull())
    .addColumn('amount', 'bigint', column => column.notNull())
    // JSON: the keys of the rows in `spend`.
    .addColumn('sums', 'text', column => column.notNull())
    .addColumn('credit_org', 'text')
    // When its process was found dead and the amount was given back; null before.
    .addColumn('expired_at', 'bigint')
    .execute()
  await database.schema.createIndex('credit_hold_process').on('credit_hold').column('process').execute()

  await database.schema
    .createTable('ledger_process')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('seen_at', 'bigint', column => column.notNull())
    .execute()

  await database.schema
    .createTable('rate_window')
    .addColumn('bucket', 'text', column => column.primaryKey())
    .addColumn('used', 'bigint', column => column.notNull())
    .addColumn('ends_at', 'bigint', column => column.notNull())
    .execute()
}
