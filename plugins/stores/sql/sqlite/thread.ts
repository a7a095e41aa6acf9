import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

// Runs in a separate thread, because node:sqlite blocks its thread while it waits for the disk or for another process.

export interface SqliteFile {
  /** A path, or `:memory:`. */
  readonly path: string
  readonly busyTimeoutMs: number
  /** SQL that runs once, before the first statement. */
  readonly setUp: string
}

/** To the thread: a statement, or that it should close the file and end. */
export type SqliteMessage = { readonly id: number; readonly sql: string; readonly parameters: readonly unknown[] } | 'close'

/** From the thread. The one with the id 0 says that the file is open, or why not. */
export type SqliteAnswer =
  | { readonly id: number; readonly rows: unknown[]; readonly changes: number }
  | { readonly id: number; readonly error: { readonly message: string; readonly errcode: number | undefined } }

const keptStatements = 200

const statements = new Map<string, { readonly statement: StatementSync; readonly reads: boolean }>()
let database: DatabaseSync | undefined

answer(0, () => {
  const { path, busyTimeoutMs, setUp } = workerData as SqliteFile
  database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  database.exec(setUp)
  return { rows: [], changes: 0 }
})

parentPort!.on('message', (message: SqliteMessage) => {
  if (message !== 'close') return answer(message.id, () => run(message.sql, message.parameters as readonly SQLInputValue[]))
  if (database?.isOpen) database.close()
  parentPort!.close()
})

function answer(id: number, work: () => { readonly rows: unknown[]; readonly changes: number }): void {
  let reply: SqliteAnswer
  try {
    reply = { id, ...work() }
  } catch (error) {
    // A copy of an error loses the code.
    const { message, errcode } = error as Error & { readonly errcode?: number }
    reply = { id, error: { message, errcode } }
  }
  parentPort!.postMessage(reply)
}

function run(sql: string, parameters: readonly SQLInputValue[]): { readonly rows: unknown[]; readonly changes: number } {
  const { statement, reads } = prepared(sql)
  if (reads) return { rows: statement.all(...parameters), changes: 0 }
  return { rows: [], changes: Number(statement.run(...parameters).changes) }
}

/** The least recently used statement is forgotten first. */
function prepared(sql: string): { readonly statement: StatementSync; readonly reads: boolean } {
  const known = statements.get(sql)
  if (known) {
    statements.delete(sql)
    statements.set(sql, known)
    return known
  }
  const statement = database!.prepare(sql)
  const made = { statement, reads: statement.columns().length > 0 }
  statements.set(sql, made)
  if (statements.size > keptStatements) statements.delete(statements.keys().next().value!)
  return made
}
