import type { Kysely } from 'kysely'
import { bytesType, keyedStorage } from './dialect.ts'

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('metric')
    // 0 to 3: a minute, an hour, a day, a week.
    .addColumn('level', 'integer', column => column.notNull())
    // Minutes since the epoch.
    .addColumn('first_minute', 'bigint', column => column.notNull())
    .addColumn('provider', 'text', column => column.notNull())
    .addColumn('model', 'text', column => column.notNull())
    // Gateways that share a database each have their own rows.
    .addColumn('writer', 'text', column => column.notNull())
    .addColumn('summary', bytesType(database), column => column.notNull())
    .addPrimaryKeyConstraint('metric_key', ['level', 'first_minute', 'provider', 'model', 'writer'])
    .modifyEnd(keyedStorage(database))
    .execute()
}
