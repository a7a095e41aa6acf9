import type { Clock, Logger } from '../../../../core/index.ts'
import { describeError } from '../../../../core/kit.ts'
import type { BackgroundAftermath, BackgroundStore } from '../../../../core/stores.ts'
import type { Notices } from './notices.ts'

const everyMs = 10_000
const expireEveryMs = 10 * 60_000

export interface UpkeepParts {
  readonly store: BackgroundStore
  readonly clock: Clock
  readonly log: Logger
  readonly notices: Notices | undefined
  aftermath(): BackgroundAftermath
}

/** Ends the background responses of gateways that died, sends notices that are due, and deletes what has expired. */
export class Upkeep {
  readonly #parts: UpkeepParts
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #expiredAt: number | undefined

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  start(): void {
    const work = (): void => {
      this.#working ??= this.#work().finally(() => (this.#working = undefined))
    }
    this.#timer = setInterval(work, everyMs).unref()
    work()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#working
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    const { store, clock, log, notices, aftermath } = this.#parts
    try {
      const lapsed = await store.lapse(aftermath())
      if (lapsed > 0) log.warn('ended background responses of gateways that died', { responses: lapsed })
      notices?.send()
      if (this.#expiredAt !== undefined && clock.elapsed() - this.#expiredAt < expireEveryMs) return
      this.#expiredAt = clock.elapsed()
      await store.expire()
    } catch (error) {
      log.error('could not look after background responses', describeError(error))
    }
  }
}
