import type { Kysely } from 'kysely'
import { jsonBytes, type StoredResponse } from '../../../core/stores.ts'
import { columnId } from './column-id.ts'
import { insertResponses } from './response-rows.ts'
import type { SealedParts } from './sealed-parts.ts'
import type { ResponseTable, Tables } from './tables.ts'
import { isUnavailable } from './unavailable.ts'
import { UnwantedResponses } from './unwanted-responses.ts'
import { WriteQueue, type Write } from './write-queue.ts'

interface Waiting extends Write {
  readonly response: StoredResponse
  readonly signal: AbortSignal | undefined
  resolve(): void
  reject(error: unknown): void
}

interface Sealed {
  readonly waiting: Waiting
  readonly row: ResponseTable
}

const maxInGroup = 50
/** A larger response is a large one. */
const maxGroupBytes = 1024 * 1024

/**
 * Stores responses in groups, each in one transaction. Responses that arrive meanwhile form the next group. Large responses have their own
 * queue and are stored one at a time, because each takes several times its size in memory. Small responses never wait while large ones are
 * sealed.
 */
export class ResponseWrites {
  readonly #database: Kysely<Tables>
  readonly #parts: SealedParts
  readonly #small = new WriteQueue<Waiting>()
  readonly #large = new WriteQueue<Waiting>()
  readonly #unwanted: UnwantedResponses
  /** How many more groups may be under way. */
  #free: number
  #isStoringLarge = false

  constructor(database: Kysely<Tables>, parts: SealedParts, writers: number) {
    this.#database = database
    this.#parts = parts
    this.#unwanted = new UnwantedResponses(database)
    this.#free = writers
  }

  /** Resolves when the response is durable. After `signal` aborts, it is not stored any more. */
  add(owner: string, response: StoredResponse, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { input, output, body } = response
    const waiting: Waiting = { owner, response, bytes: jsonBytes([input, output, body]), signal, resolve, reject }
    const queue = waiting.bytes > maxGroupBytes ? this.#large : this.#small
    queue.add(waiting)
    signal?.addEventListener('abort', () => {
      queue.remove(waiting)
      reject(signal.reason)
    })
    if (queue === this.#large) {
      if (!this.#isStoringLarge) void this.#drainLarge()
    } else if (this.#free > 0) void this.#drain()
    return promise
  }

  stop(): void {
    this.#unwanted.stop()
  }

  async #drain(): Promise<void> {
    this.#free--
    while (!this.#small.isEmpty) await this.#store(await this.#nextGroup())
    this.#free++
  }

  async #drainLarge(): Promise<void> {
    this.#isStoringLarge = true
    while (!this.#large.isEmpty) await this.#storeAlone(this.#large.next(Infinity)!)
    this.#isStoringLarge = false
  }

  async #storeAlone(waiting: Waiting): Promise<void> {
    try {
      await this.#store([{ waiting, row: await this.#sealed(waiting) }])
    } catch (error) {
      waiting.reject(error)
    }
  }

  async #nextGroup(): Promise<readonly Sealed[]> {
    const group: Sealed[] = []
    for (let bytes = 0; group.length < maxInGroup;) {
      const waiting = this.#small.next(bytes === 0 ? Infinity : maxGroupBytes - bytes)
      if (!waiting) break
      try {
        const row = await this.#sealed(waiting)
        group.push({ waiting, row })
        bytes += waiting.bytes
      } catch (error) {
        waiting.reject(error)
      }
    }
    return group
  }

  async #sealed({ owner: ownerName, response, signal }: Waiting): Promise<ResponseTable> {
    const { org, previousId, createdAt, input, output, body } = response
    const owner = columnId(ownerName)
    const id = columnId(response.id)
    return {
      owner,
      id,
      org,
      previous_id: previousId === undefined ? null : columnId(previousId),
      created_at: createdAt,
      conversation: await this.#parts.seal(org, { owner, id, part: 'conversation' }, { input, output }, signal),
      body: await this.#parts.seal(org, { owner, id, part: 'body' }, body, signal),
    }
  }

  async #store(group: readonly Sealed[]): Promise<void> {
    const wanted = group.filter(({ waiting }) => !waiting.signal?.aborted)
    if (wanted.length === 0) return
    try {
      const added = wanted.map(({ row, waiting }) => ({ row, turn: waiting.response }))
      await this.#database.transaction().execute(transaction => insertResponses(transaction, added))
      for (const { waiting } of wanted) waiting.resolve()
      // The database may have been locked until long after their callers heard that they are not stored.
      this.#unwanted.add(rowsOf(wanted.filter(({ waiting }) => waiting.signal?.aborted)))
    } catch (error) {
      const isDown = isUnavailable(error)
      // One response that the database refuses must not cost the others.
      if (wanted.length > 1 && !isDown) for (const { waiting } of wanted) await this.#storeAlone(waiting)
      else for (const { waiting } of wanted) waiting.reject(error)
      // The connection may have broken just after the commit.
      if (isDown) this.#unwanted.add(rowsOf(wanted))
    }
  }
}

function rowsOf(group: readonly Sealed[]): readonly ResponseTable[] {
  return group.map(({ row }) => row)
}
