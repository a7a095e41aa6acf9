import type { Kysely } from 'kysely'
import { bytesType } from './dialect.ts'

/** The targets of organizations, and messages to them and to those of the operator. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('alert_target')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('revision', 'bigint', column => column.notNull())
    .addColumn('settings', bytesType(database), column => column.notNull())
    .execute()
  await database.schema.createIndex('alert_target_org').on('alert_target').columns(['org', 'created_at', 'id']).execute()
  await database.schema.createIndex('alert_target_age').on('alert_target').columns(['created_at', 'id']).execute()

  await database.schema
    .createTable('alert_message')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('target', 'text', column => column.notNull())
    .addColumn('org', 'text')
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('alert_id', 'text')
    .addColumn('digest', 'text')
    .addColumn('fills_limit', 'integer', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('since', 'bigint', column => column.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('tries', 'integer', column => column.notNull())
    .addColumn('fence', 'integer', column => column.notNull())
    .addColumn('counted', 'integer', column => column.notNull())
    .addColumn('failure', 'text')
    .execute()
  await database.schema.createIndex('alert_message_age').on('alert_message').columns(['at', 'id']).execute()
  await database.schema.createIndex('alert_message_target').on('alert_message').columns(['target', 'state', 'at']).execute()
  await database.schema.createIndex('alert_message_org').on('alert_message').columns(['org', 'at', 'id']).execute()
  await database.schema.createIndex('alert_message_due').on('alert_message').column('due_at').where('due_at', 'is not', null).execute()

  await database.schema
    .createTable('alert_target_use')
    .addColumn('target', 'text', column => column.primaryKey())
    .addColumn('org', 'text')
    .addColumn('digest_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .execute()
}
