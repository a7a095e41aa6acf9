import type { Clock } from '../foundation/clock.ts'
import { GatewayError } from '../foundation/errors.ts'

const mostFailures = 10
const windowMs = 60_000
const mostAddresses = 10_000

/** Limits how often one address may show admin tokens that are not valid: ten times a minute. */
export class FailedTries {
  readonly #clock: Clock
  readonly #failures = new Map<string, { count: number; readonly until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws a 429. */
  check(address: string): void {
    const failed = this.#failures.get(address)
    const now = this.#clock.now()
    if (!failed || failed.until <= now || failed.count < mostFailures) return
    const message = 'Too many admin tokens from this address were wrong. Wait a minute, then try again.'
    throw new GatewayError({
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message,
      retryAfterMs: failed.until - now,
    })
  }

  failed(address: string): void {
    const now = this.#clock.now()
    const known = this.#failures.get(address)
    if (known && now < known.until) known.count++
    else {
      this.#failures.delete(address)
      // The oldest comes first.
      if (this.#failures.size >= mostAddresses) this.#failures.delete(this.#failures.keys().next().value!)
      this.#failures.set(address, { count: 1, until: now + windowMs })
    }
  }
}
