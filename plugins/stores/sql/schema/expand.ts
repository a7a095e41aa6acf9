import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { isSqlite } from '../migrations/dialect.ts'
import { migrations } from '../migrations/index.ts'
import { lockSchema } from './lock.ts'

/** While a migration waits for a table, all other statements on that table wait behind it. */
const lockTimeout = '500ms'
const pauseMs = 250
const maxTries = 200
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock timeouts, deadlocks, and another process that does the same. */
const passing: ReadonlySet<string> = new Set(['55P03', '40P01', '23505', '42P07'])

/**
 * Runs migrations that only add, beside gateways that serve, and returns the names of those that did not run before. On SQLite, the caller has
 * begun a transaction.
 */
export async function expand(database: Kysely<any>, names: readonly string[]): Promise<readonly string[]> {
  const ran: string[] = []
  for (const name of names) if (await (isSqlite(database) ? runOnce(database, name) : patiently(database, name))) ran.push(name)
  return ran
}

async function patiently(database: Kysely<any>, name: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await (migrations[name]!.isOutside ? runOnce(database, name) : inside(database, name))
    } catch (error) {
      if (tries === maxTries || !isPassing(error as { readonly code?: unknown; readonly message?: unknown })) throw error
      await setTimeout(pauseMs * (0.5 + Math.random()))
    }
  }
}

/** Postgres has no code of its own for two processes that change the same table at once outside of a transaction. */
function isPassing({ code, message }: { readonly code?: unknown; readonly message?: unknown }): boolean {
  return passing.has(String(code)) || (code === 'XX000' && /^tuple concurrently (updated|deleted)$/.test(String(message)))
}

/** Each in a transaction of its own, so that it holds few locks, and gives way to statements that take long. */
async function inside(database: Kysely<any>, name: string): Promise<boolean> {
  return await database.transaction().execute(async transaction => {
    await lockSchema(transaction)
    await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(transaction)
    return await runOnce(transaction, name)
  })
}

/** False if another process has run it meanwhile. */
async function runOnce(database: Kysely<any>, name: string): Promise<boolean> {
  await database.schema
    .createTable('schema_change')
    .ifNotExists()
    .addColumn('name', 'text', column => column.primaryKey())
    // Milliseconds since the epoch, for people.
    .addColumn('at', 'bigint', column => column.notNull())
    .execute()
  const known = await database.selectFrom('schema_change').select('name').where('name', '=', name).executeTakeFirst()
  if (known) return false
  await migrations[name]!.up(database)
  const change = { name, at: Date.now() }
  await database
    .insertInto('schema_change')
    .values(change)
    .onConflict(conflict => conflict.doNothing())
    .execute()
  return true
}
