import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
} from 'kysely'
import { SqliteConnection } from './connection.ts'
import type { SqliteFile } from './thread.ts'

/** Kysely on one SQLite connection in a thread. Transactions take turns, and each locks the file from its start. */
export class SqliteThreadDialect implements Dialect {
  readonly #file: SqliteFile
  readonly #ready: SqliteConnection | undefined

  /** `ready`: a connection to use instead of starting a thread. */
  constructor(file: SqliteFile, ready?: SqliteConnection) {
    this.#file = file
    this.#ready = ready
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter()
  }

  createDriver(): Driver {
    return driver(this.#file, this.#ready)
  }

  createIntrospector(database: Kysely<any>): DatabaseIntrospector {
    return new SqliteIntrospector(database)
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler()
  }
}

function driver(file: SqliteFile, ready: SqliteConnection | undefined): Driver {
  let connection: SqliteConnection | undefined
  const open = async (): Promise<SqliteConnection> => {
    if (!connection || connection.isClosed) {
      connection = connection || !ready || ready.isClosed ? new SqliteConnection() : ready
      await connection.open(file)
    }
    return connection
  }
  return {
    init: async () => void (await open()),
    acquireConnection: open,
    // Not waited for. If it fails, so does everything after it.
    beginTransaction: async () => void connection!.step('begin').catch(() => {}),
    commitTransaction: () => connection!.step('commit'),
    // An error of this would hide that of the failure.
    rollbackTransaction: () => connection!.step('rollback').catch(() => {}),
    releaseConnection: async () => {},
    destroy: async () => connection?.close(),
  }
}
