import type { Worker } from 'node:worker_threads'
import type { DatabaseConnection, QueryResult } from 'kysely'
import { startWorker } from '../../../../core/stores.ts'
import { StatementList, type Statement } from './statement-list.ts'
import type { SqliteAnswer, SqliteFile, SqliteMessage, SqliteResults, Step } from './thread.ts'

/** An error of SQLite. `errcode`: https://sqlite.org/rescode.html */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  readonly errcode: number | undefined
  /** For logs, which leave out messages. */
  readonly code: string | undefined

  constructor(message: string, errcode: number | undefined) {
    super(message)
    this.errcode = errcode
    this.code = errcode === undefined ? undefined : (names[errcode & 0xff] ?? `SQLITE_${errcode}`)
  }
}

const names: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  26: 'SQLITE_NOTADB',
}

/** Binary parameters of at least this size move to the thread. Copying a shorter one takes no time. */
export const movedFromBytes = 1024 * 1024

interface Waiting {
  resolve(results: SqliteResults): void
  reject(error: Error): void
}

/** One connection to a SQLite file, in a thread. It keeps the process alive only while a statement runs. */
export class SqliteConnection implements DatabaseConnection {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0
  #ended = false

  constructor() {
    this.#worker = startWorker(import.meta.url, './thread', { name: 'sqlite' })
    this.#worker.on('message', (answer: SqliteAnswer) => this.#settle(answer))
    this.#worker.on('error', error => this.#end(error))
    this.#worker.on('exit', () => this.#end(new SqliteError('the database was closed', undefined)))
  }

  /** Also true after the thread died. */
  get isClosed(): boolean {
    return this.#ended
  }

  /** Opens the file, after closing the one before. Throws a `SqliteError` if it cannot be opened. */
  async open(file: SqliteFile): Promise<void> {
    await this.#ask(id => ({ id, open: file }))
  }

  /** A large binary parameter moves to the thread instead of being copied: see `movedFromBytes`. Its buffer is empty afterwards. */
  async executeQuery<R>(query: Statement): Promise<QueryResult<R>> {
    if (query instanceof StatementList) return { rows: (await this.#send(query.statements)).map(({ rows }) => rows) as R[] }
    const { sql, parameters } = query
    const [{ rows, changes }] = (await this.#send([{ sql, parameters }])) as [SqliteResults[0]]
    return { rows: rows as R[], numAffectedRows: BigInt(changes) }
  }

  async step(step: Step): Promise<void> {
    await this.#send([], step)
  }

  // oxlint-disable-next-line require-yield -- The interface demands it, and nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('This connection does not stream. Read page by page.')
  }

  async close(): Promise<void> {
    if (this.#ended) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#worker.once('exit', () => resolve())
    this.#worker.ref()
    this.#worker.postMessage('close' satisfies SqliteMessage)
    await promise
  }

  #send(statements: readonly Statement[], step?: Step): Promise<SqliteResults> {
    return this.#ask(id => ({ id, statements, step }), largeBuffersOf(statements))
  }

  #ask(message: (id: number) => SqliteMessage, moved?: readonly ArrayBuffer[]): Promise<SqliteResults> {
    const id = ++this.#asked
    const results = this.#wait(id)
    if (!this.#ended) this.#worker.postMessage(message(id), moved)
    return results
  }

  #wait(id: number): Promise<SqliteResults> {
    if (this.#ended) return Promise.reject(new SqliteError('the database was closed', undefined))
    const { promise, resolve, reject } = Promise.withResolvers<SqliteResults>()
    if (this.#waiting.size === 0) this.#worker.ref()
    this.#waiting.set(id, { resolve, reject })
    return promise
  }

  #settle(answer: SqliteAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('error' in answer) waiting?.reject(new SqliteError(answer.error.message, answer.error.errcode))
    else waiting?.resolve(answer.results)
  }

  #end(error: Error): void {
    this.#ended = true
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

function largeBuffersOf(statements: readonly Statement[]): ArrayBuffer[] {
  const large: ArrayBuffer[] = []
  for (const { parameters } of statements)
    for (const value of parameters)
      if (value instanceof Uint8Array && value.byteLength >= movedFromBytes && isWhole(value)) large.push(value.buffer)
  return large
}

/** A buffer that others share must stay. */
function isWhole(value: Uint8Array): value is Uint8Array<ArrayBuffer> {
  return value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength
}
