import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { describeError, type Clock, type Logger } from '../../../core/index.ts'
import type { Tables } from './database.ts'
import { removeResponse } from './response-rows.ts'

const dayMs = 24 * 60 * 60 * 1000
const sweepEveryMs = 60 * 60 * 1000
/** Small, so that nothing waits long for the database. */
const responsesInBatch = 50

/** Deletes stored responses older than `keepDays`. */
export class Expiry {
  readonly #database: Kysely<Tables>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #keepMs: number
  #timer: NodeJS.Timeout | undefined
  #sweeping: Promise<unknown> = Promise.resolve()
  #stopped = false

  constructor(database: Kysely<Tables>, clock: Clock, log: Logger, keepDays: number) {
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#keepMs = keepDays * dayMs
  }

  /** Sweeps now and then hourly, in the background. */
  start(): void {
    this.#sweepAfterTheLast()
    this.#timer = setInterval(() => this.#sweepAfterTheLast(), sweepEveryMs).unref()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#sweeping
  }

  /** Returns the number of deleted responses. */
  async sweep(): Promise<number> {
    let deleted = 0
    for (;;) {
      const batch = await this.#sweepBatch()
      deleted += batch
      if (batch < responsesInBatch || this.#stopped) return deleted
      await setImmediate()
    }
  }

  #sweepAfterTheLast(): void {
    this.#sweeping = this.#sweeping
      .then(() => this.sweep())
      .then(deleted => {
        if (deleted > 0) this.#log.info('expired responses were deleted', { responses: deleted })
      })
      .catch(error => this.#log.error('expired responses could not be deleted', describeError(error)))
  }

  async #sweepBatch(): Promise<number> {
    const rows = await this.#database
      .selectFrom('response')
      .select(['owner', 'id'])
      .where('created_at', '<', this.#clock.now() - this.#keepMs)
      .limit(responsesInBatch)
      .execute()
    if (rows.length === 0) return 0
    await this.#database.transaction().execute(async transaction => {
      for (const { owner, id } of rows) await removeResponse(transaction, owner, id)
    })
    return rows.length
  }
}
