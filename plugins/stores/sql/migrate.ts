import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { isSqlite } from './migrations/dialect.ts'
import { migrations, revisionOf } from './migrations/index.ts'
import { SchemaError } from './schema/error.ts'
import { expand } from './schema/expand.ts'
import { lockSchema } from './schema/lock.ts'
import { lastStrictRevision, pendingIn, readState, refuseUnfit } from './schema/state.ts'
import type { Tables } from './tables.ts'

/** A database whose tables are up to date. */
export interface Migrated {
  readonly database: Kysely<Tables>
  /** The migrations that ran just now. */
  readonly applied: readonly string[]
}

/** A database that was opened to look at, unchanged. */
export interface Inspected {
  readonly database: Kysely<Tables>
  /** The migrations that have not run. */
  readonly pending: readonly string[]
}

/**
 * Runs the pending migrations, and returns their names. Gateways of this version and of the one before may use the database meanwhile. Throws a
 * `SchemaError` if this version must not use it. On SQLite, the caller has begun a transaction.
 */
export async function migrate(database: Kysely<Tables>): Promise<readonly string[]> {
  const state = await readState(database)
  refuseUnfit(state)
  const pending = pendingIn(state)
  // At almost every start.
  if (pending.length === 0) return []
  const strict = pending.some(isStrict) ? await migrateStrictly(database, state.marks) : []
  return [
    ...strict,
    ...(await expand(
      database,
      pending.filter(name => !isStrict(name)),
    )),
  ]
}

/** The migrations that have not run. Changes nothing. Throws a `SchemaError` if this version must not use the database. */
export async function pendingMigrations(database: Kysely<Tables>): Promise<readonly string[]> {
  const state = await readState(database)
  refuseUnfit(state)
  return pendingIn(state)
}

/** Closes the database if `work` fails. */
export async function orClosed<T>(database: Kysely<Tables>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await database.destroy().catch(() => {})
    throw error
  }
}

function isStrict(name: string): boolean {
  return revisionOf(name) <= lastStrictRevision
}

/** In the table that gateways before revision 40 read. */
async function migrateStrictly(database: Kysely<Tables>, marks: ReadonlySet<string>): Promise<readonly string[]> {
  if (isSqlite(database)) return await runStrictly(database, marks)
  return await database.transaction().execute(async transaction => {
    // Kysely's own lock belongs to a session, which clients of a pooler share.
    await lockSchema(transaction)
    await requireMayCreate(transaction)
    return await runStrictly(transaction, marks)
  })
}

/** Since Postgres 15, only the owner of a database may create tables in it. Kysely's migrator hides that error behind another. */
async function requireMayCreate(transaction: Kysely<Tables>): Promise<void> {
  const asked = sql<{ readonly may: boolean | null }>`select has_schema_privilege(current_schema(), 'CREATE') as may`
  const { rows } = await asked.execute(transaction)
  if (rows[0]?.may !== true) throw new SchemaError('its user may not create tables', 'Let this user create tables in the schema')
}

async function runStrictly(database: Kysely<Tables>, marks: ReadonlySet<string>): Promise<readonly string[]> {
  const strict = Object.entries(migrations).filter(([name]) => isStrict(name))
  const marked = Array.from(marks, (name): [string, Migration] => [name, { up: async () => {} }])
  const provider = { getMigrations: async () => Object.fromEntries([...strict, ...marked]) }
  const { error, results = [] } = await new Migrator({ db: database, provider, allowUnorderedMigrations: true }).migrateToLatest()
  if (error !== undefined) throw error
  return results.map(({ migrationName }) => migrationName)
}
