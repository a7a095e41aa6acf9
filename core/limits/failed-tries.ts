import type { Clock } from '../foundation/clock.ts'
import { GatewayError } from '../foundation/errors.ts'

const mostFailures = 10
const windowMs = 60_000
const mostKept = 10_000
const prefixLength = 16

/**
 * Limits how often tokens that are not valid get the answer that they are wrong: ten times a minute for one address and one beginning of a
 * token. A valid token is never kept out, so nobody can lock out others.
 */
export class FailedTries {
  readonly #clock: Clock
  readonly #failures = new Map<string, { count: number; readonly until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call this for each token that turned out to be wrong. Throws a 429 after too many. `address`: where the request comes from. */
  failed(text: string, address: string): void {
    const key = `${address} ${beginningOf(text)}`
    const now = this.#clock.now()
    const known = this.#failures.get(key)
    if (!known || known.until <= now) {
      this.#failures.delete(key)
      // The oldest comes first.
      if (this.#failures.size >= mostKept) this.#failures.delete(this.#failures.keys().next().value!)
      this.#failures.set(key, { count: 1, until: now + windowMs })
    } else if (++known.count > mostFailures) throw tooMany(known.until - now)
  }
}

/** Of an admin token, this is its id. At most half of any other text, which is a secret. */
function beginningOf(text: string): string {
  return text.slice(0, Math.min(prefixLength, Math.floor(text.length / 2)))
}

function tooMany(retryAfterMs: number): GatewayError {
  return new GatewayError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: 'Too many admin tokens from this address were wrong. Wait a minute, then try again. A valid token works now.',
    retryAfterMs,
  })
}
