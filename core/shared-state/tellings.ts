import type { Clock } from '../foundation/clock.ts'

/** The limit on deliveries between all gateways together, in a second: about a fifth of a core of Valkey. */
const deliveriesPerSecond = 40_000
/**
 * How often this gateway may tell the others what many requests set. Each telling goes to every gateway, and every gateway tells: so the more
 * there are, the less each may tell, and what it may not, it keeps to itself.
 */
export class Tellings {
  readonly #clock: Clock
  readonly #gateways: () => number
  #left = Infinity
  #at: number

  constructor(clock: Clock, gateways: () => number) {
    this.#clock = clock
    this.#gateways = gateways
    this.#at = clock.elapsed()
  }

  /** Takes one, if there is one left. */
  take(): boolean {
    const now = this.#clock.elapsed()
    const gateways = Math.max(1, this.#gateways())
    const perSecond = deliveriesPerSecond / (gateways * gateways)
    this.#left = Math.min(Math.max(1, perSecond), this.#left + ((now - this.#at) / 1_000) * perSecond)
    this.#at = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
