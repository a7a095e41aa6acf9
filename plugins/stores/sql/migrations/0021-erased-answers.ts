import type { Kysely } from 'kysely'
import { keyedStorage } from './dialect.ts'

export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('erased_answer')
    .addColumn('answer_id', 'text', column => column.notNull())
    .addColumn('owner', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('erased_answer_key', ['answer_id', 'owner'])
    .modifyEnd(keyedStorage(database))
    .execute()
  await database.schema.createIndex('erased_answer_age').on('erased_answer').column('at').execute()
}
