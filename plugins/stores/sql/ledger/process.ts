import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Clock, Logger } from '../../../../core/index.ts'
import { describeError } from '../../../../core/kit.ts'
import type { Tables } from '../tables.ts'
import { LedgerBatches } from './batches.ts'
import { expire } from './changes.ts'
import { unlessStandstill } from '../standstill.ts'

const seenEveryMs = 15_000
/** A process that was not seen for this long is dead. This exceeds a few missed signs of life, and the difference of clocks. */
const deadAfterMs = 60_000
/** An expired hold stays this long, so that a late settlement of it is still charged. */
const keepExpiredMs = 24 * 60 * 60 * 1000
/** Of caps with a period. The longest period is a month. */
const keepSpendMs = 100 * 24 * 60 * 60 * 1000
const holdsInBatch = 100

/** Shows other processes that this one is alive, and releases the holds of dead ones. */
export class LedgerProcess {
  readonly #database: Kysely<Tables>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #id = randomUUID()
  #entered: Promise<void> | undefined
  #isEntered = false
  #timer: NodeJS.Timeout | undefined
  #working: Promise<unknown> = Promise.resolve()

  constructor(database: Kysely<Tables>, clock: Clock, log: Logger) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  /** The name of this process in holds. The first call enters it into the database. */
  async id(): Promise<string> {
    if (!this.#entered) {
      this.#entered = this.#show()
      this.#entered.catch(() => (this.#entered = undefined))
    }
    await this.#entered
    this.#isEntered = true
    return this.#id
  }

  /** The same, once it is entered. */
  get known(): string | undefined {
    return this.#isEntered ? this.#id : undefined
  }

  start(): void {
    const work = (): void => {
      this.#working = this.#working
        .then(() => (this.#entered ? this.#show() : undefined))
        .then(() => this.sweep())
        .catch(error => this.#log.error('could not maintain the ledger', describeError(error)))
    }
    work()
    this.#timer = setInterval(work, seenEveryMs).unref()
  }

  /** Call when no request is left. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    // Without it, others notice a minute later that this process is dead.
    await unlessStandstill(this.#leave()).catch(() => {})
  }

  /** Returns the number of released holds. */
  async sweep(): Promise<number> {
    const now = this.#clock.now()
    const batches = new LedgerBatches(this.#database)
    let expired = 0
    for (;;) {
      const rows = await this.#database
        .selectFrom('credit_hold')
        .leftJoin('ledger_process', 'ledger_process.id', 'credit_hold.process')
        .select('credit_hold.id')
        .where('credit_hold.expired_at', 'is', null)
        .where(({ eb, or }) => or([eb('ledger_process.seen_at', 'is', null), eb('ledger_process.seen_at', '<', now - deadAfterMs)]))
        .limit(holdsInBatch)
        .execute()
      await Promise.all(rows.map(({ id }) => batches.run(expire(id, now))))
      expired += rows.length
      if (rows.length < holdsInBatch) break
    }
    if (expired > 0) this.#log.warn('released the credit that dead gateways held', { holds: expired })
    await this.#database
      .deleteFrom('credit_hold')
      .where('expired_at', '<', now - keepExpiredMs)
      .execute()
    await this.#database
      .deleteFrom('ledger_process')
      .where('seen_at', '<', now - keepExpiredMs)
      .execute()
    await this.#database
      .deleteFrom('spend')
      .where('period_start', '>', 0)
      .where('period_start', '<', now - keepSpendMs)
      .where('reserved', '=', 0)
      .execute()
    return expired
  }

  async #leave(): Promise<void> {
    await this.#working
    if (this.#entered) await this.#database.deleteFrom('ledger_process').where('id', '=', this.#id).execute()
  }

  async #show(): Promise<void> {
    const seen_at = this.#clock.now()
    await this.#database
      .insertInto('ledger_process')
      .values({ id: this.#id, seen_at })
      .onConflict(conflict => conflict.column('id').doUpdateSet({ seen_at }))
      .execute()
  }
}

/** Call when no other process uses the database: the processes that it lists are dead, and the next sweep releases their holds. */
export async function forgetProcesses(database: Kysely<Tables>): Promise<void> {
  await database.deleteFrom('ledger_process').execute()
}
