import type { CompiledQuery, Kysely } from 'kysely'
import { inOrder } from './in-order.ts'
import { insertionOf } from './background-rows.ts'
import type { BackgroundEventTable, Tables } from './tables.ts'

/** A change of one response, and the events that come with it. */
export interface Change {
  /** Returns the row of the response. Without one, nothing is added. */
  readonly update: CompiledQuery
  readonly chunks: readonly BackgroundEventTable[]
}

interface Waiting extends Change {
  resolve(row: unknown): void
  reject(error: unknown): void
}

const maxInGroup = 50

/**
 * Makes the changes of many responses in groups, each in one transaction, one after the other. So hundreds of responses do not keep others
 * waiting for the database.
 */
export class BackgroundWrites {
  readonly #database: Kysely<Tables>
  readonly #waiting: Waiting[] = []
  #isWriting = false
  /** Runs between two groups. */
  #between: Promise<unknown> = Promise.resolve()

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  /** Returns what the update does, or undefined. */
  change(change: Change): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ ...change, resolve, reject })
    if (!this.#isWriting) void this.#write()
    return promise
  }

  /** Postgres locks rows in any order. So a change of many rows must not meet a group. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const after = this.#between.then(work, work)
    this.#between = after.catch(() => {})
    return after
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Others of this turn join the first group.
    await undefined
    while (this.#waiting.length > 0) await this.alone(() => this.#writeGroup(this.#waiting.splice(0, maxInGroup)))
    this.#isWriting = false
  }

  /** Never rejects. */
  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#database.transaction().execute(async transaction => {
        const updated = (await inOrder(
          transaction,
          group.map(({ update }) => update),
        )) as readonly (readonly unknown[])[]
        const chunks = group.flatMap((each, index) => (updated[index]!.length > 0 ? each.chunks : []))
        await inOrder(
          transaction,
          chunks.map(chunk => insertionOf(transaction, chunk)),
        )
        return updated
      })
      for (const [index, { resolve }] of group.entries()) resolve(rows[index]![0])
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}
