import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Clock, Logger } from '../../../../core/index.ts'
import { describeError } from '../../../../core/kit.ts'
import type { Tables } from '../tables.ts'
import { LedgerBatches } from './batches.ts'
import { expire } from './changes.ts'
import { unlessStandstill } from '../standstill.ts'

const seenEveryMs = 15_000
/** A process that was not seen for this long is dead. It is longer than a few missed signs of life, and than clocks differ. */
const deadAfterMs = 60_000
/** An expired hold stays this long, so that a late settlement of it is still charged. */
const keepExpiredMs = 24 * 60 * 60 * 1000
/** Of caps with a period. The longest period is a month. */
const keepSpendMs = 100 * 24 * 60 * 60 * 1000
const holdsInBatch = 100

/** Shows other processes that this one is alive, and gives back what dead ones held. */
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
        .catch(error => this.#log.error('the ledger could not be maintained', describeError(error)))
    }
    work()
    this.#timer = setInterval(work, seenEveryMs).unref()
  }

  /** Call when no request is left. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    // Without it, others find that this process is dead a minute later.
    await unlessStandstill(this.#leave()).catch(() => {})
  }

  /** Returns how many holds were given back. */
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
    if (expired > 0) this.#log.warn('the credit held by gateways that ended without notice was given back', { holds: expired })
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

/** Call when no other process uses the database: those that it lists are dead, and the next sweep gives back what they held. */
export async function forgetProcesses(database: Kysely<Tables>): Promise<void> {
  await database.deleteFrom('ledger_process').execute()
}
