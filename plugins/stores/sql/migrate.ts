import { CompiledQuery, sql, type Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { isSqlite } from './migrations/dialect.ts'
import { migrations } from './migrations/index.ts'
import type { Tables } from './tables.ts'

/** Any number: it names the lock among those of this database. */
const lockId = 1_380_012_023

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

/** Runs the pending migrations, and returns their names. On SQLite, the caller has begun a transaction that has the database for itself. */
export async function migrate(database: Kysely<Tables>): Promise<readonly string[]> {
  if (await isUpToDate(database)) return []
  if (isSqlite(database)) return await migrateAlone(database)
  return await database.transaction().execute(async transaction => {
    // Kysely's own lock belongs to a session, which clients of a pooler share.
    await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(transaction)
    return await migrateAlone(transaction)
  })
}

async function migrateAlone(database: Kysely<Tables>): Promise<readonly string[]> {
  const { error, results = [] } = await migrator(database).migrateToLatest()
  if (error !== undefined) throw error
  return results.map(({ migrationName }) => migrationName)
}

/** True at almost every start. This check takes one statement, and the migrator needs a dozen. The migrator handles all other cases. */
async function isUpToDate(database: Kysely<Tables>): Promise<boolean> {
  const query = CompiledQuery.raw('select name from kysely_migration order by timestamp, name')
  const found = await database.executeQuery<{ readonly name: string }>(query).catch(() => undefined)
  return found?.rows.map(({ name }) => name).join() === Object.keys(migrations).join()
}

/** The migrations that have not run. Changes nothing. Throws for a database of a newer version. */
export async function pendingMigrations(database: Kysely<Tables>): Promise<readonly string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  const ran = tables.some(({ name }) => name === 'kysely_migration')
    ? await database.withTables<{ kysely_migration: { readonly name: string } }>().selectFrom('kysely_migration').select('name').execute()
    : []
  const unknown = ran.find(({ name }) => !(name in migrations))
  if (unknown) throw new Error(`corrupted migrations: previously executed migration ${unknown.name} is missing`)
  return Object.keys(migrations).filter(name => !ran.some(row => row.name === name))
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

function migrator(database: Kysely<Tables>): Migrator {
  return new Migrator({ db: database, provider: { getMigrations: async () => migrations } })
}
