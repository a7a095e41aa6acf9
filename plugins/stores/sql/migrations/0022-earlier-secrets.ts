import { sql, type Kysely } from 'kysely'

/** JSON: a list of `{ hash, validUntil }`. A key may have several earlier secrets. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('api_key').addColumn('previous', 'text').execute()
  await sql`update api_key set previous = '[{"hash":"' || previous_hash || '","validUntil":' || coalesce(previous_valid_until, 0) || '}]'
    where previous_hash is not null`.execute(database)
  await database.schema.alterTable('api_key').dropColumn('previous_hash').execute()
  await database.schema.alterTable('api_key').dropColumn('previous_valid_until').execute()
}
