import type { SharedMap, SharedMaps } from '../contracts/shared-state.ts'
import { GatewayError } from '../foundation/errors.ts'

const maxFailures = 10
const windowMs = 60_000
const maxKept = 10_000
const prefixLength = 16

/**
 * Limits how often tokens that are not valid get the answer that they are wrong: ten times a minute for one address and one beginning of a
 * token. A valid token is never kept out, so nobody can lock out others.
 */
export class FailedTries {
  readonly #counts: SharedMap<number>

  /** `name`: whose tries they are. */
  constructor(shared: SharedMaps, name: string) {
    this.#counts = shared.map(`failed-tries/${name}`, { max: maxKept, keys: 'private', accepts: value => typeof value === 'number' })
  }

  /** Call this for each token that turned out to be wrong. Throws a 429 after too many. `address`: where the request comes from. */
  failed(text: string, address: string): void {
    const key = `${address} ${beginningOf(text)}`
    const count = this.#counts.get(key) ?? 0
    const leftMs = count === 0 ? windowMs : this.#counts.leftMs(key)
    if (count >= maxFailures) throw tooMany(leftMs)
    this.#counts.set(key, count + 1, leftMs)
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
