import { existsSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { Logger, Sealer } from '../../../core/index.ts'
import { checkMasterKey } from './master-key-check.ts'
import type { Migrated } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { nameOfUrl, inspectPostgres, openPostgres } from './postgres/open.ts'
import { connectSqlite, inspectSqlite, openMemory, openSqlite } from './sqlite/open.ts'
import type { Tables } from './tables.ts'

/** Where the database is: a file, or a Postgres server. */
export type Place = { readonly file: string } | { readonly url: string; readonly maxConnections: number }

export interface OpenOptions {
  /** See `Registrar.createFiles`. */
  readonly createFiles: boolean
  /** See `Registrar.lookOnly`. The services then work on an empty database in memory. */
  readonly lookOnly: boolean
}

/** Opens a database and brings its tables up to date. Throws if it cannot be used, or was created with another master key. */
export async function openDatabase(
  place: Place,
  { createFiles, lookOnly }: OpenOptions,
  sealer: Sealer,
  log: Logger,
): Promise<Kysely<Tables>> {
  if (lookOnly) {
    await inspect(place, sealer, log)
    return (await openMemory()).database
  }
  const { database, applied } = await openAndMigrate(place, createFiles, log)
  if (applied.length > 0 && !applied.includes(firstMigration)) log.info('the database was upgraded', { migrations: applied })
  try {
    await checkMasterKey(database, sealer, nameOf(place))
    return database
  } catch (error) {
    await database.destroy()
    throw error
  }
}

/** Another connection to a SQLite file, so that a long query holds up nothing else. Undefined where the first connection has to do. */
export function openReader(place: Place, { lookOnly }: Pick<OpenOptions, 'lookOnly'>): Kysely<Tables> | undefined {
  return 'file' in place && !lookOnly && existsSync(place.file) ? connectSqlite(place.file) : undefined
}

/** Brings the tables up to date, and returns the names of the migrations that ran. */
export async function upgradeDatabase(place: Place, log: Logger): Promise<readonly string[]> {
  const { database, applied } = await openAndMigrate(place, true, log)
  await database.destroy()
  return applied
}

function openAndMigrate(place: Place, createFiles: boolean, log: Logger): Promise<Migrated> {
  return 'url' in place ? openPostgres(place, log) : openSqlite(place.file, createFiles)
}

async function inspect(place: Place, sealer: Sealer, log: Logger): Promise<void> {
  const inspected = 'url' in place ? await inspectPostgres(place, log) : await inspectSqlite(place.file)
  if (!inspected) return
  const { database, pending } = inspected
  try {
    if (!pending.includes(masterKeyMigration)) await rolledBack(database, inside => checkMasterKey(inside, sealer, nameOf(place)))
  } finally {
    await database.destroy()
  }
}

async function rolledBack(database: Kysely<Tables>, work: (inside: Kysely<Tables>) => Promise<void>): Promise<void> {
  const transaction = await database.startTransaction().execute()
  try {
    await work(transaction)
  } finally {
    await transaction.rollback().execute()
  }
}

/** For messages. */
function nameOf(place: Place): string {
  return 'url' in place ? nameOfUrl(place.url) : place.file
}

const [firstMigration] = Object.keys(migrations) as [string]
const masterKeyMigration = '0003-master-key-check'
