import { mkdirSync } from 'node:fs'
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

/** Opens the file, or makes it, and brings its tables up to date. */
export async function openDatabase(path: string): Promise<Kysely<Tables>> {
  let sqlite: DatabaseSync | undefined
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    sqlite = new DatabaseSync(path, { timeout: busyTimeoutMs })
    // With a write-ahead log, NORMAL loses no transaction when the process dies, only the last ones when the machine does.
    sqlite.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on')
    const database = new Kysely<Tables>({ dialect: new SqliteDialect({ database: forKysely(sqlite) }) })
    await migrate(sqlite, database)
    return database
  } catch (cause) {
    if (sqlite?.isOpen) sqlite.close()
    throw new Error(`database ${path} cannot be used: ${(cause as Error).message}. ${remedy(cause)}`, { cause })
  }
}

/** In one transaction that keeps other processes out: two that start at once must not both make the tables. */
async function migrate(sqlite: DatabaseSync, database: Kysely<Tables>): Promise<void> {
  sqlite.exec('begin immediate')
  try {
    const { error } = await new Migrator({ db: database, provider: { getMigrations: async () => migrations } }).migrateToLatest()
    if (error !== undefined) throw error
    sqlite.exec('commit')
  } finally {
    if (sqlite.isTransaction) sqlite.exec('rollback')
  }
}

/** node:sqlite as the kind of database that Kysely's own dialect drives. */
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

function remedy(cause: unknown): string {
  const { message, errcode } = cause as { message: string; errcode?: number }
  const code = (errcode ?? 0) & 0xff
  if (message.startsWith('corrupted migrations'))
    return 'A newer version of the gateway has used it: run that version, or name another file'
  if (code === notADatabase) return 'Move that file away, or set the option file to the path of a SQLite database'
  if (code === busy) return 'Another process holds it for writing: end that process, then start again'
  return 'Make the file and its folder writable for this user, or set the option file to another path'
}

// https://sqlite.org/rescode.html: the low byte tells the kind.
const busy = 5
const notADatabase = 26
