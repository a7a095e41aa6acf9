import { randomUUID } from 'node:crypto'
import type { SharedMap, SharedMaps } from '../contracts/shared-state.ts'
import { systemClock, type Clock } from '../foundation/clock.ts'
import { GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import { isObject } from '../foundation/json.ts'

const maxFailures = 10
const windowMs = 60_000
const maxKept = 10_000
const maxGateways = 100
const prefixLength = 16
/** A gateway tells others so often, and after a quiet time so much at once: attackers with many addresses must not fill their memory. */
const toldPerSecond = 10
const toldAtOnce = 100

/** How many tries each gateway counted, by a name that it made up. */
type Tries = Readonly<Record<string, number>>

/**
 * Limits how often tokens that are not valid get the answer that they are wrong: ten times a minute for one address and one beginning of a
 * token. Gateways that share what they learn count together: up to one more for each of the others, because a single wrong token is told to
 * nobody. A valid token is never kept out, so nobody can lock out others.
 */
export class FailedTries {
  readonly #tries: SharedMap<Tries>
  readonly #clock: Clock
  readonly #gateway = randomUUID().slice(0, 8)
  #allowance = toldAtOnce
  #allowedAt: number

  /** `name`: whose tries they are. */
  constructor(shared: SharedMaps, name: string, clock = systemClock) {
    this.#tries = shared.map<Tries>(`failed-tries/${name}`, { max: maxKept, keys: 'private', accepts: areTries, join: highest })
    this.#clock = clock
    this.#allowedAt = clock.elapsed()
  }

  /** Call this for each token that turned out to be wrong. Throws a 429 after too many. `address`: where the request comes from. */
  failed(text: string, address: string): void {
    const key = `${address} ${beginningOf(text)}`
    const known = this.#tries.get(key)
    const leftMs = known ? this.#tries.leftMs(key) : windowMs
    if (known && sumOf(known) >= maxFailures) throw tooMany(leftMs)
    const tries = { ...known, [this.#gateway]: (known?.[this.#gateway] ?? 0) + 1 }
    if (known && this.#mayTell()) this.#tries.set(key, tries, leftMs)
    else this.#tries.keep(key, tries, leftMs)
  }

  #mayTell(): boolean {
    const now = this.#clock.elapsed()
    this.#allowance = Math.min(toldAtOnce, this.#allowance + ((now - this.#allowedAt) / 1000) * toldPerSecond)
    this.#allowedAt = now
    if (this.#allowance < 1) return false
    this.#allowance--
    return true
  }
}

function areTries(value: unknown): value is Tries {
  if (!isObject(value)) return false
  const counts = Object.values(value)
  return counts.length <= maxGateways && counts.every(count => typeof count === 'number' && count > 0)
}

/** No gateway counts down, so of two numbers of one gateway the higher is the newer. */
function highest(known: Tries, sent: Tries): Tries {
  const tries: Record<string, number> = { ...known }
  for (const [gateway, count] of Object.entries(sent)) tries[gateway] = Math.max(count, tries[gateway] ?? 0)
  return tries
}

function sumOf(tries: Tries): number {
  return Object.values(tries).reduce((sum, count) => sum + count, 0)
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
    message: wording`Too many admin tokens from this address were wrong. Wait a minute, then try again. A valid token works now.`,
    retryAfterMs,
  })
}
