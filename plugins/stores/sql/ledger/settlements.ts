import { setTimeout } from 'node:timers/promises'
import pTimeout from 'p-timeout'
import type { JsonObject, Logger } from '../../../../core/index.ts'
import { describeError } from '../../../../core/kit.ts'
import type { LedgerBatches, LedgerChange } from './batches.ts'

const retryAfterMs = 500
/** The longest wait of a stop for a database that is down. */
const stopWaitMs = 5_000

/** The charge of a settlement, for the log if it is lost. */
export type Charge = JsonObject

/** Changes that must happen, even if the database is down for a while: each is tried until it is done, or the gateway stops. */
export class Settlements {
  readonly #batches: LedgerBatches
  readonly #log: Logger
  /** The changes that are not done yet. */
  readonly #open = new Map<Promise<void>, Charge | undefined>()
  readonly #told = new WeakSet<LedgerChange<void>>()
  #stopped = false

  constructor(batches: LedgerBatches, log: Logger) {
    this.#batches = batches
    this.#log = log
  }

  /** The change must do nothing the second time. `charge`: undefined if nothing is charged. */
  async run(change: LedgerChange<void>, charge?: Charge): Promise<void> {
    const done = this.#run(change, charge)
    this.#open.set(done, charge)
    await done
    this.#open.delete(done)
  }

  /** Logs a pending settlement once, in case the gateway is killed. For a change that takes long. */
  tell(change: LedgerChange<void>, charge: Charge | undefined, reason: JsonObject = {}): void {
    if (this.#told.has(change)) return
    this.#told.add(change)
    this.#log.error('could not charge a request yet; retrying', { hold: change.hold, ...charge, ...reason })
  }

  /** Call when no request is left. Waits briefly for open changes, and logs each charge that is lost. */
  async stop(): Promise<void> {
    await pTimeout(Promise.all(this.#open.keys()), { milliseconds: stopWaitMs, fallback: () => undefined })
    this.#stopped = true
    for (const charge of this.#open.values())
      if (charge) this.#log.error('a request was not charged, because the database was down until the gateway stopped', charge)
  }

  async #run(change: LedgerChange<void>, charge: Charge | undefined): Promise<void> {
    while (!this.#stopped) {
      try {
        return await this.#batches.run(change)
      } catch (error) {
        this.tell(change, charge, describeError(error))
        await setTimeout(retryAfterMs, undefined, { ref: false })
      }
    }
  }
}
