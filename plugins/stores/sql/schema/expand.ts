import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { isSqlite } from '../migrations/dialect.ts'
import { migrations } from '../migrations/index.ts'

/** Of all gateways that expand one database. The number has no meaning. */
const lock = 8_141_022_901
/** While a migration waits for a table, all other statements on that table wait behind it. */
const lockTimeout = '500ms'
const pauseMs = 250
const maxTries = 200

/**
 * Runs migrations that only add, beside gateways that serve, and returns the names of those that did not run before. On SQLite, the caller has
 * begun a transaction.
 */
export async function expand(database: Kysely<any>, names: readonly string[]): Promise<readonly string[]> {
  const ran: string[] = []
  for (const name of names) if (await (isSqlite(database) ? runOnce(database, name) : patiently(database, name))) ran.push(name)
  return ran
}

/** Each in a transaction of its own, so that it holds few locks, and gives way to statements that take long. */
async function patiently(database: Kysely<any>, name: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.connection().execute(alone => (migrations[name]!.isOutside ? outside(alone, name) : inside(alone, name)))
    } catch (error) {
      if (tries === maxTries || !isInTheWay(error)) throw error
      await pause()
    }
  }
}

async function inside(database: Kysely<any>, name: string): Promise<boolean> {
  return await database.transaction().execute(async transaction => {
    await locked(async () => await sql<Locked>`select pg_try_advisory_xact_lock(${sql.lit(lock)}) as locked`.execute(transaction))
    await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(transaction)
    return await runOnce(transaction, name)
  })
}

/** A pooler may keep a lock of a session for long. Without the lock, two indexes may be made where one would do. */
async function outside(database: Kysely<any>, name: string): Promise<boolean> {
  await locked(async () => await sql<Locked>`select pg_try_advisory_lock(${sql.lit(lock)}) as locked`.execute(database), maxTries)
  try {
    return await runOnce(database, name)
  } finally {
    await sql`select pg_advisory_unlock(${sql.lit(lock)})`.execute(database)
  }
}

interface Locked {
  readonly locked: boolean
}

/** Asks again and again: a concurrent index waits for every statement that runs, and so for one that waits for the lock. */
async function locked(ask: () => Promise<{ readonly rows: readonly Locked[] }>, most = Infinity): Promise<void> {
  for (let tries = 0; tries < most && !(await ask()).rows[0]!.locked; tries++) await pause()
}

async function pause(): Promise<void> {
  await setTimeout(pauseMs * (0.5 + Math.random()))
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
  await database.insertInto('schema_change').values({ name, at: Date.now() }).execute()
  return true
}

/** Lock timeouts and deadlocks: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function isInTheWay(error: unknown): boolean {
  return ['55P03', '40P01'].includes(String((error as { readonly code?: unknown }).code))
}
