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

  constructor(file: SqliteFile) {
    this.#file = file
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter()
  }

  createDriver(): Driver {
    return driver(this.#file)
  }

  createIntrospector(database: Kysely<any>): DatabaseIntrospector {
    return new SqliteIntrospector(database)
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler()
  }
}

function driver(file: SqliteFile): Driver {
  let connection: SqliteConnection | undefined
  const open = async (): Promise<SqliteConnection> => {
    if (!connection || connection.isClosed) {
      connection = new SqliteConnection(file)
      await connection.opened()
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
