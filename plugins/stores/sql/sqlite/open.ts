import { accessSync, chmodSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { CompiledQuery, Kysely } from 'kysely'
import { forgetProcesses } from '../ledger/process.ts'
import { migrate, orClosed, pendingMigrations, type Inspected, type Migrated } from '../migrate.ts'
import { SchemaError } from '../schema/error.ts'
import { readState, refuseUnfit } from '../schema/state.ts'
import type { Tables } from '../tables.ts'
import { aloneSettings, ifAlone } from './alone.ts'
import { SqliteConnection } from './connection.ts'
import { SqliteThreadDialect } from './dialect.ts'

const busyTimeoutMs = 5000
/** Like the master key. */
const ownerOnly = 0o600
// With a write-ahead log, NORMAL loses no transaction when the process dies, only the last ones when the machine does.
// A longer log is written back less often, and a page that changes again and again is written back once.
const settings =
  'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma cache_size = -32000; pragma wal_autocheckpoint = 4000'

/**
 * Opens the file, creates it if needed, and brings its tables up to date. With `createFiles` false, a missing file is replaced by an empty
 * database in memory, once it is clear that the file could be created. Throws for a database that cannot be opened or written.
 */
export async function openSqlite(path: string, createFiles = true): Promise<Migrated> {
  return await explained(path, async () => {
    if (!createFiles && !existsSync(path)) {
      requireCreatable(path)
      return await openMemory()
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const isNew = !existsSync(path)
    keepPrivate(path)
    // Starting a thread takes longer than all that is asked of it here.
    const thread = new SqliteConnection()
    if (!isNew) await ifAlone(connect(path, aloneSettings, false, thread), forgetProcessesIfFit)
    const database = connect(path, settings, true, thread)
    return await orClosed(database, () => migrateAlone(database))
  })
}

/** What a start refuses stays as it is: `turnpike copy` goes on with its unfinished copy. */
async function forgetProcessesIfFit(database: Kysely<Tables>): Promise<void> {
  refuseUnfit(await readState(database))
  await forgetProcesses(database)
}

/**
 * Opens a file for `turnpike copy`, which nobody else can open meanwhile: the first statement fails with `SQLITE_BUSY` if somebody has it open.
 * `isNew`: creates the file if needed, and writes it as gateways do.
 */
export function connectAlone(path: string, { isNew = false } = {}): Kysely<Tables> {
  if (isNew) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    keepPrivate(path)
  }
  return connect(path, isNew ? `${aloneSettings}; ${settings}` : aloneSettings)
}

/** SQLite gives its other files, `-wal` and `-shm`, the mode of the database. */
function keepPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', ownerOnly))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      const { mode } = statSync(file)
      if ((mode & 0o777) !== ownerOnly && (mode & constants.S_IFMT) === constants.S_IFREG) chmodSync(file, ownerOnly)
    } catch (error) {
      // It is not there, or belongs to another user.
      if (!['ENOENT', 'EPERM'].includes((error as NodeJS.ErrnoException).code!)) throw error
    }
  }
}

/** Opens an existing file without changing it. Undefined if there is none yet, once it is clear that it could be created. */
export async function inspectSqlite(path: string): Promise<Inspected | undefined> {
  return await explained(path, async () => {
    if (!existsSync(path)) return requireCreatable(path)
    const database = connect(path, '')
    return await orClosed(database, async () => ({
      database,
      pending: await inOneTransaction(database, 'rollback', () => pendingMigrations(database)),
    }))
  })
}

/** An empty database, which is gone when it is closed. */
export async function openMemory(): Promise<Migrated> {
  const database = connect(':memory:', '')
  return await orClosed(database, () => migrateAlone(database))
}

/** Opens a file whose tables are up to date, when it is first used. `isBackground`: see `SqliteFile`. */
export function connectSqlite(path: string, { isBackground = false } = {}): Kysely<Tables> {
  return connect(path, settings, isBackground)
}

function connect(path: string, setUp: string, isBackground = false, ready?: SqliteConnection): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteThreadDialect({ path, busyTimeoutMs, setUp, isBackground }, ready) })
}

/** Runs in one exclusive transaction, so that two processes that start at once do not both create the tables. */
export async function migrateAlone(database: Kysely<Tables>): Promise<Migrated> {
  return { database, applied: await inOneTransaction(database, 'commit', () => migrate(database)) }
}

/** Kysely's own transactions cannot be used: its migrator refuses them for SQLite. */
async function inOneTransaction<T>(database: Kysely<Tables>, end: 'commit' | 'rollback', work: () => Promise<T>): Promise<T> {
  const run = (sql: string): Promise<unknown> => database.executeQuery(CompiledQuery.raw(sql))
  await run('begin immediate')
  try {
    const result = await work()
    await requireWritable(database)
    await run(end)
    return result
  } catch (error) {
    await run('rollback').catch(() => {})
    throw error
  }
}

/**
 * SQLite opens a read-only file without an error, and the first write would fail much later. So this writes a value that changes nothing.
 */
async function requireWritable(database: Kysely<Tables>): Promise<void> {
  const { rows } = await database.executeQuery<{ readonly user_version: number }>(CompiledQuery.raw('pragma user_version'))
  await database.executeQuery(CompiledQuery.raw(`pragma user_version = ${rows[0]!.user_version}`))
}

function requireCreatable(path: string): undefined {
  accessSync(firstExisting(dirname(path)), constants.W_OK | constants.X_OK)
}

function firstExisting(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : firstExisting(dirname(folder))
}

async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new Error(`database ${path} ${problem(cause)}. ${remedy(cause)}`, { cause })
  }
}

function problem(cause: unknown): string {
  return codeOf(cause) === readOnly ? 'is not writable' : `cannot be used: ${(cause as Error).message}`
}

function remedy(cause: unknown): string {
  const code = codeOf(cause)
  if (cause instanceof SchemaError) return cause.remedy
  if (code === notADatabase) return 'Move that file away, or set the option file to the path of a SQLite database'
  if (code === corrupt) return 'Restore the file from a backup'
  if (code === busy) return 'Another process is writing to it: end that process, then start again'
  return 'Make the file and its folder writable for this user, or set the option file to another path'
}

// https://sqlite.org/rescode.html: the low byte is the kind of error.
function codeOf(cause: unknown): number {
  return ((cause as { readonly errcode?: number }).errcode ?? 0) & 0xff
}

const busy = 5
const corrupt = 11
const readOnly = 8
const notADatabase = 26
