import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { removeResponse } from './response-rows.ts'
import type { ResponseTable, Tables } from './tables.ts'

type Address = Pick<ResponseTable, 'owner' | 'id'>

const retryAfterMs = 1_000
const maxAtOnce = 50
/** Of a database that is down for long, only the last ones can have been stored. */
const maxWaiting = 1_000

/**
 * Deletes responses that may be stored although their callers heard that they are not: a database can commit them long after it was asked
 * to, or just before the connection breaks.
 */
export class UnwantedResponses {
  readonly #database: Kysely<Tables>
  readonly #waiting: Address[] = []
  #isRemoving = false
  #stopped = false

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  add(responses: readonly Address[]): void {
    this.#waiting.push(...responses.map(({ owner, id }) => ({ owner, id })))
    this.#waiting.splice(0, this.#waiting.length - maxWaiting)
    if (!this.#isRemoving && this.#waiting.length > 0) void this.#removeAll()
  }

  stop(): void {
    this.#stopped = true
  }

  async #removeAll(): Promise<void> {
    this.#isRemoving = true
    while (this.#waiting.length > 0 && !this.#stopped) {
      const next = this.#waiting.splice(0, maxAtOnce)
      try {
        await this.#database.transaction().execute(async transaction => {
          for (const { owner, id } of next) await removeResponse(transaction, owner, id)
        })
      } catch {
        this.#waiting.unshift(...next)
        await setTimeout(retryAfterMs, undefined, { ref: false })
      }
    }
    this.#isRemoving = false
  }
}
