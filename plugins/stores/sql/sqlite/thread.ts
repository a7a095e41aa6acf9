import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Statement } from './statement-list.ts'

// Runs in a separate thread, because node:sqlite blocks its thread while it waits for the disk or for another process.

export interface SqliteFile {
  /** A path, or `:memory:`. */
  readonly path: string
  readonly busyTimeoutMs: number
  /** SQL that runs once, before the first statement. */
  readonly setUp: string
  /** True if the gateway's own thread goes first where both want one core. */
  readonly isBackground: boolean
}

/** Of a transaction. */
export type Step = 'begin' | 'commit' | 'rollback'

/** To the thread: a file to open in place of the one that is open, a step and statements to run, or that it should close the file and end. */
export type SqliteMessage =
  | { readonly id: number; readonly open: SqliteFile }
  | { readonly id: number; readonly statements: readonly Statement[]; readonly step: Step | undefined }
  | 'close'

/** For each statement. */
export type SqliteResults = readonly { readonly rows: readonly unknown[]; readonly changes: number }[]

/** From the thread. */
export type SqliteAnswer =
  | { readonly id: number; readonly results: SqliteResults }
  | { readonly id: number; readonly error: { readonly message: string; readonly errcode: number | undefined } }

const keptStatements = 200
const freedFromBytes = 1024 * 1024
/** A third of a core that both want: enough for a record of each request that the other two thirds answer. */
const backgroundNice = 3

/** How long to sleep before the next try to begin, in milliseconds. */
const triesFromMs = 0.5
const triesToMs = 2
const busyCode = 5

const sleeper = new Int32Array(new SharedArrayBuffer(4))
const statements = new Map<string, { readonly statement: StatementSync; readonly reads: boolean }>()
let database: DatabaseSync | undefined
let patienceMs = 0
let isInTransaction = false
/** Why the transaction cannot be committed any more. */
let failure: { readonly cause: unknown } | undefined

function open({ path, busyTimeoutMs, setUp, isBackground }: SqliteFile): SqliteResults {
  statements.clear()
  database?.close()
  isInTransaction = false
  failure = undefined
  if (isBackground) giveWay()
  database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  database.exec(setUp)
  patienceMs = busyTimeoutMs
  return []
}

/** Only Linux has a priority for each thread. Elsewhere, this would be that of the process. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(backgroundNice)
  } catch {
    // A sandbox forbids it. Then both have the same priority.
  }
}

parentPort!.on('message', (message: SqliteMessage) => {
  if (message !== 'close')
    return answer(message.id, () => ('open' in message ? open(message.open) : handle(message.statements, message.step)))
  if (database?.isOpen) database.close()
  parentPort!.close()
})

function answer(id: number, work: () => SqliteResults): void {
  let reply: SqliteAnswer
  try {
    reply = { id, results: work() }
  } catch (error) {
    // A copy of an error loses the code.
    const { message, errcode } = error as Error & { readonly errcode?: number }
    reply = { id, error: { message, errcode } }
  }
  parentPort!.postMessage(reply)
}

/** After a failure, nothing of the transaction runs any more: the sender does not wait for the answer to its beginning. */
function handle(statements: readonly Statement[], step: Step | undefined): SqliteResults {
  if (step === 'rollback') {
    end('rollback')
    return []
  }
  if (failure) throw failure.cause
  try {
    if (step === 'begin') {
      isInTransaction = true
      begin()
    }
    if (step === 'commit') end('commit')
    const results = statements.map(run)
    if (bytesIn(statements) >= freedFromBytes) statements.forEach(free)
    return results
  } catch (cause) {
    if (isInTransaction) failure = { cause }
    throw cause
  }
}

/**
 * Waits for its turn among the connections that write, of this process and others. SQLite's own wait is for longer and longer, so the one that
 * came first hardly ever gets a lock that others take all the time.
 */
function begin(): void {
  const untilMs = performance.now() + patienceMs
  database!.exec('pragma busy_timeout = 0')
  try {
    while (!hasBegun(untilMs)) Atomics.wait(sleeper, 0, 0, triesFromMs + Math.random() * (triesToMs - triesFromMs))
  } finally {
    database!.exec(`pragma busy_timeout = ${patienceMs}`)
  }
}

function hasBegun(untilMs: number): boolean {
  try {
    // A deferred transaction fails at once if another process writes between its first read and its first write.
    database!.exec('begin immediate')
    return true
  } catch (error) {
    const isBusy = (((error as { readonly errcode?: number }).errcode ?? 0) & 0xff) === busyCode
    if (isBusy && performance.now() < untilMs) return false
    throw error
  }
}

/** After some failures, such as a full disk, SQLite has rolled back already. */
function end(how: 'commit' | 'rollback'): void {
  if (how === 'commit' || database!.isTransaction) database!.exec(how)
  isInTransaction = false
  failure = undefined
}

function run({ sql, parameters, rows }: Statement): SqliteResults[0] {
  const { statement, reads } = prepared(sql)
  if (rows !== undefined) return { rows: unchanged(statement, JSON.parse(rows)), changes: 0 }
  const values = parameters as readonly SQLInputValue[]
  if (reads) return { rows: statement.all(...values), changes: 0 }
  return { rows: [], changes: Number(statement.run(...values).changes) }
}

function bytesIn(statements: readonly Statement[]): number {
  let bytes = 0
  for (const { parameters } of statements) for (const value of parameters) if (value instanceof Uint8Array) bytes += value.byteLength
  return bytes
}

/** Frees large values at once. This thread hardly ever collects garbage. Values that shared a buffer share one here, too. */
function free({ parameters }: Statement): void {
  for (const value of parameters)
    if (value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && !value.buffer.detached) value.buffer.transfer(0)
}

/** Runs a statement for each row, and returns the indexes of the rows for which nothing changed. */
function unchanged(statement: StatementSync, rows: readonly (readonly SQLInputValue[])[]): readonly number[] {
  return rows.flatMap((row, index) => (Number(statement.run(...row).changes) === 0 ? [index] : []))
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
