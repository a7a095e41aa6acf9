import { GatewayError, type Clock } from '../../../core/index.ts'
import { recentValues, type Sealer, type SharedMap, type SharedMaps, type SignOuts } from '../../../core/stores.ts'

const maxEnded = 100_000
const maxOpen = 10_000
/** So long, a session counts as open without another look into the store. */
const openForMs = 1_000
/** Longer than any session lasts by the clock of any gateway. */
const keepMs = 24 * 3_600_000

/**
 * The sessions that somebody signed out of: copies of such a cookie no longer work. Gateways tell each other at once. The store, if there is
 * one, makes it last: it holds at every gateway within a second, and after a restart.
 */
export class EndedSessions {
  readonly #told: SharedMap<true>
  readonly #stored: SignOuts | undefined
  readonly #sealer: Sealer
  readonly #clock: Clock
  /** Until when each counts as open, on `Clock.elapsed`. */
  readonly #open = recentValues<string, number>(maxOpen)

  constructor(shared: SharedMaps, stored: SignOuts | undefined, sealer: Sealer, clock: Clock) {
    this.#told = shared.map('dashboard/ended-sessions', { max: maxEnded, keys: 'private', accepts: value => value === true })
    this.#stored = stored
    this.#sealer = sealer
    this.#clock = clock
  }

  /** Throws a 503 if nobody can tell. */
  async has(session: string): Promise<boolean> {
    if (this.#told.get(session)) return true
    const now = this.#clock.elapsed()
    if (!this.#stored || (this.#open.get(session) ?? 0) > now) return false
    const hasEnded = await this.#ask(stored => stored.has(this.#idOf(session)), 'check whether this session has ended')
    if (hasEnded) this.#told.keep(session, true, keepMs)
    else this.#open.set(session, now + openForMs)
    return hasEnded || this.#told.get(session) === true
  }

  /** Resolves when it is stored. Throws a 503 if it cannot be: the session then goes on. */
  async add(session: string): Promise<void> {
    if (this.#stored) await this.#ask(stored => stored.add(this.#idOf(session), keepMs), 'sign you out')
    this.#told.set(session, true, keepMs)
  }

  async #ask<T>(ask: (stored: SignOuts) => T, what: string): Promise<Awaited<T>> {
    try {
      return await ask(this.#stored!)
    } catch (cause) {
      const message = `The gateway could not ${what}, because its database does not answer. Try again.`
      throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
    }
  }

  /** Of the secret that a session carries. */
  #idOf(session: string): string {
    return this.#sealer.mac('dashboard-sign-out', session).toString('base64url')
  }
}
