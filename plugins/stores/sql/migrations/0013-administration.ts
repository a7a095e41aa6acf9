import type { Kysely } from 'kysely'

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('admin_token')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('hash', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('role', 'text', column => column.notNull())
    .addColumn('org', 'text')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()

  await database.schema
    .createTable('audit')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('action', 'text', column => column.notNull())
    .addColumn('target', 'text', column => column.notNull())
    .addColumn('org', 'text')
    // JSON.
    .addColumn('changes', 'text', column => column.notNull())
    .execute()
  await database.schema.createIndex('audit_age').on('audit').columns(['at', 'id']).execute()
  await database.schema.createIndex('audit_org').on('audit').columns(['org', 'at', 'id']).execute()
  await database.schema.createIndex('audit_target').on('audit').columns(['target', 'at', 'id']).execute()
}
