import type { Kysely } from 'kysely'
import { bytewiseText, keyedStorage } from './dialect.ts'

/** Alerts, their deliveries and silences, and what decides which process tells them. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('alert')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('subject', 'text', column => column.notNull())
    .addColumn('org', 'text')
    .addColumn('severity', 'text', column => column.notNull())
    .addColumn('title', 'text', column => column.notNull())
    .addColumn('message', 'text', column => column.notNull())
    .addColumn('facts', 'text', column => column.notNull())
    .addColumn('resolves', 'text')
    .addColumn('resolved_at', 'bigint')
    .addColumn('acknowledged_at', 'bigint')
    .addColumn('acknowledged_by', 'text')
    .addColumn('silenced_by', 'text')
    .addColumn('audience', 'text', column => column.notNull())
    .execute()
  await database.schema.createIndex('alert_at').on('alert').columns(['at', 'id']).execute()
  await database.schema.createIndex('alert_org').on('alert').columns(['org', 'at', 'id']).execute()

  await database.schema
    .createTable('alert_claim')
    .addColumn('name', 'text', column => column.primaryKey())
    .addColumn('ends_at', 'bigint', column => column.notNull())
    .modifyEnd(keyedStorage(database))
    .execute()
  await database.schema.createIndex('alert_claim_end').on('alert_claim').column('ends_at').execute()

  await database.schema
    .createTable('alert_delivery')
    .addColumn('alert_id', 'text', column => column.notNull())
    .addColumn('channel', 'text', column => column.notNull())
    .addColumn('raised_at', 'bigint', column => column.notNull())
    .addColumn('due_at', 'bigint', column => column.notNull())
    .addColumn('tries', 'bigint', column => column.notNull())
    .addColumn('audience', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('alert_delivery_key', ['alert_id', 'channel'])
    .execute()
  await database.schema.createIndex('alert_delivery_due').on('alert_delivery').column('due_at').execute()

  await database.schema
    .createTable('alert_note')
    .addColumn('name', bytewiseText(database), column => column.primaryKey())
    .addColumn('version', 'bigint', column => column.notNull())
    .addColumn('value', 'text', column => column.notNull())
    .modifyEnd(keyedStorage(database))
    .execute()

  await database.schema
    .createTable('alert_silence')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('ends_at', 'bigint', column => column.notNull())
    .addColumn('kind', 'text')
    .addColumn('subject', 'text')
    .addColumn('org', 'text')
    .addColumn('note', 'text')
    .addColumn('made_by', 'text', column => column.notNull())
    .addColumn('reach', 'text', column => column.notNull())
    .execute()
}
