import type { Kysely } from 'kysely'
import { bytesType } from './dialect.ts'

/** Responses that run without the connection of their caller, and their events. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const bytes = bytesType(database)
  await database.schema
    .createTable('background')
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('status', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('lease_ends_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('notice_at', 'bigint')
    .addColumn('tries', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('parts', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('last_sequence', 'integer', column => column.notNull().defaultTo(-1))
    // Large columns last, because SQLite reads a row from its start.
    .addColumn('body', bytes, column => column.notNull())
    .addColumn('input', bytes, column => column.notNull())
    .addPrimaryKeyConstraint('background_key', ['owner', 'id'])
    .execute()
  for (const column of ['lease_ends_at', 'expires_at', 'notice_at'])
    await database.schema.createIndex(`background_${column}`).on('background').column(column).where(column, 'is not', null).execute()

  await database.schema
    .createTable('background_event')
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('response_id', 'text', column => column.notNull())
    .addColumn('part', 'integer', column => column.notNull())
    .addColumn('first', 'integer', column => column.notNull())
    .addColumn('last', 'integer', column => column.notNull())
    .addColumn('events', bytes, column => column.notNull())
    .addPrimaryKeyConstraint('background_event_key', ['owner', 'response_id', 'part'])
    .execute()
}
