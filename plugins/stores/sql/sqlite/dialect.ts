import {
  CompiledQuery,
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
  const run = async (sql: string): Promise<void> => {
    await connection!.executeQuery(CompiledQuery.raw(sql))
  }
  return {
    init: async () => void (await open()),
    acquireConnection: open,
    // A deferred transaction fails at once if another process writes between its first read and its first write.
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    // After some failures, such as a full disk, SQLite has rolled back already. An error of this would hide that of the failure.
    rollbackTransaction: () => run('rollback').catch(() => {}),
    releaseConnection: async () => {},
    destroy: async () => connection?.close(),
  }
}
