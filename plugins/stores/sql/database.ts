import { existsSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { Logger } from '../../../core/index.ts'
import type { Sealer } from '../../../core/stores.ts'
import { checkMasterKey } from './master-key-check.ts'
import type { Migrated } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { connectPostgres, nameOfUrl, inspectPostgres, openPostgres } from './postgres/open.ts'
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

/** Opens a database and upgrades its tables. Throws if it cannot be used, or was created with another master key. */
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
  if (applied.length > 0 && !applied.includes(firstMigration)) log.info('upgraded the database', { migrations: applied })
  try {
    await checkMasterKey(database, sealer, nameOf(place))
    return database
  } catch (error) {
    await database.destroy()
    throw error
  }
}

/** Read-only connections, so that reads never wait for writes. They open on first use. */
export interface Readers {
  /** Single rows that every request waits for: keys, accounts, limits. */
  readonly lookups: Kysely<Tables>
  /** Longer reads: stored responses, and the lists of the admin API. */
  readonly general: Kysely<Tables>
  /** Reads that may take seconds: records and usage. */
  readonly reports: Kysely<Tables>
}

/** For stores of rows that are looked up and listed. */
export type RowReaders = Pick<Readers, 'lookups' | 'general'>

/** `database`: the first connection, which is the only one for a database in memory. Postgres writes through several at once. */
export async function openReaders(
  place: Place,
  database: Kysely<Tables>,
  { lookOnly }: Pick<OpenOptions, 'lookOnly'>,
  log: Logger,
): Promise<Readers & { close(): Promise<void> }> {
  if (lookOnly || ('file' in place && !existsSync(place.file)))
    return { lookups: database, general: database, reports: database, close: async () => {} }
  if ('url' in place) {
    const lookups = await connectPostgres({ ...place, maxConnections: lookupConnections }, log)
    return { lookups, general: database, reports: database, close: () => lookups.destroy() }
  }
  const [lookups, general] = [connectSqlite(place.file), connectSqlite(place.file)]
  const reports = connectSqlite(place.file, { isBackground: true })
  const close = async (): Promise<void> => void (await Promise.all([lookups, general, reports].map(each => each.destroy())))
  return { lookups, general, reports, close }
}

/** Upgrades the tables, and returns the names of the migrations that ran. */
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

/** Runs `work`, and undoes all that it changes. */
export async function rolledBack(database: Kysely<Tables>, work: (inside: Kysely<Tables>) => Promise<void>): Promise<void> {
  const transaction = await database.startTransaction().execute()
  try {
    await work(transaction)
  } finally {
    await transaction.rollback().execute()
  }
}

/** For messages. */
export function nameOf(place: Place): string {
  return 'url' in place ? nameOfUrl(place.url) : place.file
}

const lookupConnections = 2
export const [firstMigration] = Object.keys(migrations) as [string]
const masterKeyMigration = '0003-master-key-check'
