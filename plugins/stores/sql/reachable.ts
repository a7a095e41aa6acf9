import pTimeout from 'p-timeout'
import type { Clock } from '../../../core/index.ts'

const probeMs = 1_000
const timeoutMs = 2_000

/** True if a database answers, or stopped answering less than `graceMs` ago. Asks it at most once a second. */
export class Reachable {
  readonly #clock: Clock
  readonly #graceMs: number
  readonly #ask: () => Promise<unknown>
  #failedAt: number | undefined
  #askedAt = -Infinity
  #asking: Promise<boolean> | undefined

  constructor(clock: Clock, graceMs: number, ask: () => Promise<unknown>) {
    this.#clock = clock
    this.#graceMs = graceMs
    this.#ask = ask
  }

  check(): Promise<boolean> {
    const now = this.#clock.now()
    if (!this.#asking || now - this.#askedAt >= probeMs) {
      this.#askedAt = now
      this.#asking = this.#probe()
    }
    return this.#asking
  }

  async #probe(): Promise<boolean> {
    try {
      await pTimeout(this.#ask(), { milliseconds: timeoutMs })
      this.#failedAt = undefined
      return true
    } catch {
      const now = this.#clock.now()
      this.#failedAt ??= now
      return now - this.#failedAt < this.#graceMs
    }
  }
}
