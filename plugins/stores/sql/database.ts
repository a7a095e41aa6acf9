import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { DataKeyTable } from './data-keys.ts'
import type { KeyTable } from './keys.ts'
import type { MasterKeyCheckTable } from './master-key-check.ts'
import { migrations } from './migrations/index.ts'
import type { ResponseItemTable, ResponseTable } from './response-rows.ts'

export interface Tables {
  readonly api_key: KeyTable
  readonly data_key: DataKeyTable
  readonly master_key_check: MasterKeyCheckTable
  readonly response: ResponseTable
  readonly response_item: ResponseItemTable
}

const busyTimeoutMs = 5000

/**
 * Opens the file, creates it if needed, and brings its tables up to date. With `createFiles` false, a missing file is replaced by an empty
 * database in memory, once it is clear that the file could be created. Throws for a database that cannot be opened or written.
 */
export async function openDatabase(path: string, createFiles = true): Promise<Kysely<Tables>> {
  let sqlite: DatabaseSync | undefined
  try {
    const opensFile = createFiles || existsSync(path)
    if (!opensFile) accessSync(firstExisting(dirname(path)), constants.W_OK | constants.X_OK)
    else mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    sqlite = new DatabaseSync(opensFile ? path : ':memory:', { timeout: busyTimeoutMs })
    // With a write-ahead log, NORMAL loses no transaction when the process dies, only the last ones when the machine does.
    sqlite.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on')
    const database = new Kysely<Tables>({ dialect: new SqliteDialect({ database: forKysely(sqlite) }) })
    await migrate(sqlite, database)
    return database
  } catch (cause) {
    if (sqlite?.isOpen) sqlite.close()
    throw new Error(`database ${path} ${problem(cause)}. ${remedy(cause)}`, { cause })
  }
}

function firstExisting(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : firstExisting(dirname(folder))
}

/** Runs in one exclusive transaction, so that two processes that start at once do not both create the tables. */
async function migrate(sqlite: DatabaseSync, database: Kysely<Tables>): Promise<void> {
  sqlite.exec('begin immediate')
  try {
    const { error } = await new Migrator({ db: database, provider: { getMigrations: async () => migrations } }).migrateToLatest()
    if (error !== undefined) throw error
    requireWritable(sqlite)
    sqlite.exec('commit')
  } finally {
    if (sqlite.isTransaction) sqlite.exec('rollback')
  }
}

/**
 * SQLite opens a read-only file without an error, and the first write would fail much later. So this writes a value that changes nothing.
 */
function requireWritable(sqlite: DatabaseSync): void {
  const { user_version: version } = sqlite.prepare('pragma user_version').get() as { readonly user_version: number }
  sqlite.exec(`pragma user_version = ${version}`)
}

/** Adapts node:sqlite to the interface that Kysely's SQLite dialect expects. */
function forKysely(sqlite: DatabaseSync): SqliteDatabase {
  return {
    close: () => sqlite.close(),
    prepare(text) {
      const statement = sqlite.prepare(text)
      return {
        reader: statement.columns().length > 0,
        all: parameters => statement.all(...(parameters as readonly SQLInputValue[])),
        run: parameters => statement.run(...(parameters as readonly SQLInputValue[])),
        iterate: parameters => statement.iterate(...(parameters as readonly SQLInputValue[])),
      }
    },
  }
}

function problem(cause: unknown): string {
  return codeOf(cause) === readOnly ? 'is not writable' : `cannot be used: ${(cause as Error).message}`
}

function remedy(cause: unknown): string {
  const { message } = cause as Error
  const code = codeOf(cause)
  if (message.startsWith('corrupted migrations'))
    return 'A newer version of the gateway has used it: run that version, or name another file'
  if (code === notADatabase) return 'Move that file away, or set the option file to the path of a SQLite database'
  if (code === busy) return 'Another process is writing to it: end that process, then start again'
  return 'Make the file and its folder writable for this user, or set the option file to another path'
}

// https://sqlite.org/rescode.html: the low byte is the kind of error.
function codeOf(cause: unknown): number {
  return ((cause as { readonly errcode?: number }).errcode ?? 0) & 0xff
}

const busy = 5
const readOnly = 8
const notADatabase = 26
