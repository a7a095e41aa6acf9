import { setTimeout as wait } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Clock, Logger } from '../../../../core/index.ts'
import { describeError } from '../../../../core/kit.ts'
import { databaseIn, databaseNow } from '../database-now.ts'
import { unlessStandstill } from '../standstill.ts'
import type { Tables } from '../tables.ts'
import { LedgerBatches } from './batches.ts'
import { expire } from './changes.ts'
import { Lease, type Moment } from './lease.ts'

/** A process whose last sign of life is older is dead. */
export const defaultDeadAfterMs = 60_000
/** Of that: how often to give a sign of life, how long it is surely enough, and how long answers then wait for another one. */
const shares = { renewed: 1 / 4, sure: 3 / 4, awaited: 1 / 12 }
const retryAfterMs = 250
/** An expired hold stays this long, so that a late settlement of it is still charged. */
const keepExpiredMs = 24 * 60 * 60 * 1000
/** Of caps with a period. The longest period is a month. */
const keepSpendMs = 100 * 24 * 60 * 60 * 1000
const holdsInBatch = 100

export interface ProcessOptions {
  readonly machine?: Clock
  /** The same for all processes on one database. */
  readonly deadAfterMs?: number
}

/**
 * Shows other processes that this one is alive, and releases the holds of dead ones. Only the clock of the database says who is dead. Whoever
 * finds a process dead deletes its row, which nothing brings back: so a process that was only stopped finds out before it goes on.
 */
export class LedgerProcess {
  readonly #database: Kysely<Tables>
  readonly #clock: Clock
  readonly #machine: Clock
  readonly #log: Logger
  readonly #deadAfterMs: number
  #lease: Lease | undefined
  #renewing: Promise<Lease> | undefined
  #timers: readonly NodeJS.Timeout[] = []
  #ending: NodeJS.Timeout | undefined
  #working: Promise<unknown> = Promise.resolve()

  /** `machine`: the clock of this machine. `clock`: that of the database. */
  constructor(
    database: Kysely<Tables>,
    clock: Clock,
    log: Logger,
    { machine = clock, deadAfterMs = defaultDeadAfterMs }: ProcessOptions = {},
  ) {
    this.#database = database
    this.#clock = clock
    this.#machine = machine
    this.#log = log
    this.#deadAfterMs = deadAfterMs
  }

  /** The lease for new holds, if it is sure. */
  get known(): Lease | undefined {
    return this.#lease?.isSure ? this.#lease : undefined
  }

  /** The lease for new holds, renewed if it was not sure. The first call enters this process into the database. */
  async lease(): Promise<Lease> {
    return this.known ?? (await this.#renew())
  }

  /** Asks the database whether the holds of a lease that is not sure are still its own. Answers under it end if not, or if it stays unknown. */
  async confirm(lease: Lease): Promise<boolean> {
    const awaitedMs = this.#deadAfterMs * shares.awaited
    const giveUpAt = this.#machine.elapsed() + awaitedMs
    for (let tries = 0; !lease.isSure && lease === this.#lease; tries++) {
      const leftMs = giveUpAt - this.#machine.elapsed()
      if (leftMs <= 0 || tries * retryAfterMs >= awaitedMs) break
      try {
        await unlessStandstill(this.#renew(), leftMs)
      } catch {
        await wait(Math.min(retryAfterMs, leftMs))
      }
    }
    if (!lease.isSure) lease.lose()
    return lease.isSure
  }

  start(): void {
    const work = (): void => {
      this.#working = this.#working
        .then(() => this.#lease && this.#renew())
        .then(() => this.sweep())
        .catch(error => this.#log.error('could not maintain the ledger', describeError(error)))
    }
    work()
    this.#timers = [setInterval(work, this.#deadAfterMs * shares.renewed).unref()]
  }

  /** Call when no request is left. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    clearTimeout(this.#ending)
    // Without it, others notice a minute later that this process is dead.
    await unlessStandstill(this.#leave()).catch(() => {})
  }

  /** Returns the number of released holds. */
  async sweep(): Promise<number> {
    const batches = new LedgerBatches(this.#database)
    const own = this.#lease?.id ?? ''
    await this.#database
      .deleteFrom('ledger_process')
      .where('seen_at', '<', databaseIn(this.#database, -this.#deadAfterMs))
      .where('id', '!=', own)
      .execute()
    let expired = 0
    for (;;) {
      const rows = await this.#database
        .selectFrom('credit_hold')
        .leftJoin('ledger_process', 'ledger_process.id', 'credit_hold.process')
        .select('credit_hold.id')
        .where('credit_hold.expired_at', 'is', null)
        .where('ledger_process.id', 'is', null)
        .limit(holdsInBatch)
        .execute()
      await Promise.all(rows.map(({ id }) => batches.run(expire(id, this.#clock.now()))))
      expired += rows.length
      if (rows.length < holdsInBatch) break
    }
    if (expired > 0) this.#log.warn('released the credit that dead gateways held', { holds: expired })
    const now = this.#clock.now()
    await this.#database
      .deleteFrom('credit_hold')
      .where('expired_at', '<', now - keepExpiredMs)
      .execute()
    await this.#database
      .deleteFrom('spend')
      .where('period_start', '>', 0)
      .where('period_start', '<', now - keepSpendMs)
      .where('reserved', '=', 0)
      .execute()
    return expired
  }

  #renew(): Promise<Lease> {
    return (this.#renewing ??= this.#renewOnce().finally(() => (this.#renewing = undefined)))
  }

  async #renewOnce(): Promise<Lease> {
    const known = this.#lease
    const at = this.#moment
    if (known) {
      const { numUpdatedRows } = await this.#database
        .updateTable('ledger_process')
        .set({ seen_at: databaseNow(this.#database) })
        .where('id', '=', known.id)
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) return this.#renewed(known, at)
      this.#log.warn('other gateways gave away the credit that this one held, because it gave no sign of life for too long')
      this.#lease = undefined
      known.end()
    }
    const entered = new Lease(this.#machine, this.#deadAfterMs * shares.sure, at)
    await this.#database
      .insertInto('ledger_process')
      .values({ id: entered.id, seen_at: databaseNow(this.#database) })
      .execute()
    return (this.#lease = this.#renewed(entered, at))
  }

  #renewed(lease: Lease, at: Moment): Lease {
    lease.renew(at)
    clearTimeout(this.#ending)
    this.#ending = setTimeout(() => void this.confirm(lease), this.#deadAfterMs * shares.sure).unref()
    return lease
  }

  get #moment(): Moment {
    return { now: this.#machine.now(), elapsed: this.#machine.elapsed() }
  }

  async #leave(): Promise<void> {
    await this.#working
    if (this.#lease) await this.#database.deleteFrom('ledger_process').where('id', '=', this.#lease.id).execute()
  }
}

/** Call when no other process uses the database: the processes that it lists are dead, and the next sweep releases their holds. */
export async function forgetProcesses(database: Kysely<Tables>): Promise<void> {
  await database.deleteFrom('ledger_process').execute()
}
