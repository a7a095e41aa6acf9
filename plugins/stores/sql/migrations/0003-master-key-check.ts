import type { Kysely } from 'kysely'
import { bytesType } from './dialect.ts'

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('master_key_check')
    // One row: always 1.
    .addColumn('id', 'integer', column => column.primaryKey())
    .addColumn('sealed', bytesType(database), column => column.notNull())
    .addColumn('mac', 'text', column => column.notNull())
    .execute()
}
