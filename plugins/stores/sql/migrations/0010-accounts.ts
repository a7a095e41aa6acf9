import type { Kysely } from 'kysely'
import { keyedStorage } from './dialect.ts'

/** The tables that this migration reads and writes, in the form of its time. */
interface Then {
  readonly api_key: {
    readonly id: string
    readonly org: string
    readonly team: string | null
    readonly user: string | null
    readonly created_at: number
    readonly tokens_per_minute: number | null
    readonly limits: string | null
  }
  readonly account: {
    readonly level: string
    readonly org: string
    readonly id: string
    readonly name: string
    readonly team: string | null
    readonly policy: string
    readonly created_at: number
  }
}

export async function up(database: Kysely<any>): Promise<void> {
  await database.schema
    .createTable('account')
    .addColumn('level', 'text', column => column.notNull())
    .addColumn('org', 'text', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    // Of a user.
    .addColumn('team', 'text')
    // JSON.
    .addColumn('policy', 'text', column => column.notNull())
    .addColumn('spend_cap_usd', 'double precision')
    .addColumn('spend_period', 'text')
    // 1, or null.
    .addColumn('has_credit', 'integer')
    // JSON.
    .addColumn('metadata', 'text')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('account_key', ['level', 'org', 'id'])
    .modifyEnd(keyedStorage(database))
    .execute()
  await database.schema.createIndex('account_id').on('account').columns(['level', 'id']).execute()
  await database.schema.createIndex('account_age').on('account').columns(['level', 'created_at', 'id']).execute()
  await database.schema.createIndex('account_org').on('account').columns(['org', 'team']).execute()

  // SQLite adds one column per statement.
  for (const name of ['spend_period', 'limits', 'guardrails', 'metadata'])
    await database.schema.alterTable('api_key').addColumn(name, 'text').execute()
  for (const name of ['max_concurrency', 'hidden']) await database.schema.alterTable('api_key').addColumn(name, 'integer').execute()
  await database.schema.alterTable('api_key').addColumn('expires_at', 'bigint').execute()
  await database.schema.createIndex('api_key_age').on('api_key').columns(['created_at', 'id']).execute()
  await database.schema.createIndex('api_key_org').on('api_key').columns(['org', 'created_at', 'id']).execute()

  await convert(database)
}

/** `tokens_per_minute` becomes a window. What keys name becomes an account, as old as the oldest of these keys. */
async function convert(database: Kysely<Then>): Promise<void> {
  const keys = await database.selectFrom('api_key').selectAll().orderBy('created_at').execute()
  const accounts = new Map<string, Then['account']>()
  for (const { id, org, team, user, created_at, tokens_per_minute: tokens } of keys) {
    const add = (level: string, name: string, above: string | null): void => {
      const address = JSON.stringify([level, org, name])
      if (!accounts.has(address)) accounts.set(address, { level, org, id: name, name, team: above, policy: '{}', created_at })
    }
    add('org', org, null)
    if (team !== null) add('team', team, null)
    if (user !== null) add('user', user, team)
    if (tokens === null) continue
    const limits = JSON.stringify([{ tokens, windowMs: 60_000 }])
    await database.updateTable('api_key').set({ limits }).where('id', '=', id).execute()
  }
  for (const account of accounts.values()) await database.insertInto('account').values(account).execute()
}
