import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isSqlite, keyedStorage } from './dialect.ts'

const counts = ['caller_errors', 'policy_errors', 'vendor_errors', 'gateway_errors', 'attempts', 'failed_attempts', 'faults']

/** Counts of attempts, which earlier sums do not know, and records that are found by every model and provider that they asked. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const name of counts) await database.schema.alterTable('usage').addColumn(name, 'bigint').execute()
  await database.schema
    .alterTable('usage_latency')
    .addColumn('attempts', 'bigint', column => column.notNull().defaultTo(0))
    .execute()

  await database.schema
    .createTable('named_model')
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('provider', 'text', column => column.notNull())
    .addColumn('model', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('named_model_key', ['org', 'provider', 'model'])
    .modifyEnd(keyedStorage(database))
    .execute()

  await database.schema
    .createTable('record_asked')
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('record_asked_key', ['name', 'at', 'id'])
    .modifyEnd(keyedStorage(database))
    .execute()
  await database.schema.createIndex('record_asked_id').on('record_asked').column('id').execute()

  await nameLastAttempts(database)
  await indexAttempts(database)
}

/** The records of failed requests had no model and provider. */
async function nameLastAttempts(database: Kysely<unknown>): Promise<void> {
  const last = (member: string): RawBuilder<unknown> =>
    isSqlite(database) ? sql`json_extract(attempts, ${sql.lit(`$[#-1].${member}`)})` : sql`(attempts::json -> -1) ->> ${sql.lit(member)}`
  await sql`update record set provider = ${last('provider')}, model = ${last('model')}
    where provider is null and attempts <> '[]' and ${isReadable(database)}`.execute(database)
}

/** Of the records with several attempts: the names that differ from the record's own. */
async function indexAttempts(database: Kysely<unknown>): Promise<void> {
  const own = sql`r.at, r.id, r.provider as own_provider, r.model as own_model`
  const attempts = isSqlite(database)
    ? sql`select ${own}, json_extract(a.value, '$.provider') as provider, json_extract(a.value, '$.model') as model
      from record as r, json_each(r.attempts) as a`
    : sql`select ${own}, a.value ->> 'provider' as provider, a.value ->> 'model' as model
      from record as r cross join lateral json_array_elements(r.attempts::json) as a`
  await sql`
    insert into record_asked (name, at, id)
    select distinct case kind when 0 then provider || '/' when 1 then '/' || model else provider || '/' || model end, at, id
    from (${attempts} where r.attempts like '%},{%' and ${isReadable(database)}) as asked
      cross join (select 0 as kind union all select 1 union all select 2) as kinds
    where (kind <> 1 and provider <> own_provider) or (kind <> 0 and model <> own_model)`.execute(database)
}

/** Postgres reads no JSON with an escaped NUL or half of a surrogate pair. */
function isReadable(database: Kysely<unknown>): RawBuilder<unknown> {
  const place = sql.raw(isSqlite(database) ? 'instr' : 'strpos')
  return sql.join(
    ['\\u0000', '\\ud'].map(escape => sql`${place}(attempts, ${sql.lit(escape)}) = 0`),
    sql` and `,
  )
}
