import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import type { Credential, Provider, ProviderFailure } from '../contracts/provider.ts'
import { policyOf } from './failure-policy.ts'
import { recentValues } from '../foundation/recent-values.ts'

const noCredential: readonly undefined[] = [undefined]

/** Rotates a provider's credentials and skips those that failed recently. */
export class Credentials {
  readonly #clock: Clock
  readonly #coolUntil = recentValues<string, number>(10_000)
  readonly #turns = new Map<string, number>()

  static {
    wire(this, [Clock])
  }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * The credentials to try, in order: the usable ones in rotation or, while all are cooling down, all of them, the soonest ready first.
   * A provider without credentials gets one `undefined`.
   */
  inTurn({ id, credentials }: Pick<Provider, 'id' | 'credentials'>): readonly (Credential | undefined)[] {
    if (!credentials || credentials.length === 0) return noCredential
    if (credentials.length === 1) return credentials
    const turn = this.#turns.get(id) ?? 0
    this.#turns.set(id, (turn + 1) % credentials.length)
    const rotated = [...credentials.slice(turn), ...credentials.slice(0, turn)]
    const now = this.#clock.now()
    const usable = rotated.filter(credential => this.#readyAt(id, credential) <= now)
    return usable.length > 0 ? usable : rotated.sort((a, b) => this.#readyAt(id, a) - this.#readyAt(id, b))
  }

  /**
   * Lets the credential cool down if the failure is its fault. Returns the milliseconds until the provider has a usable credential again, 0
   * if it has one now.
   */
  failed(
    { id, credentials = [] }: Pick<Provider, 'id' | 'credentials'>,
    credential: Credential | undefined,
    failure: ProviderFailure,
  ): number {
    const { coolDownMs } = policyOf(failure)
    if (coolDownMs === undefined) return 0
    const restMs = failure.retryAfterMs ?? coolDownMs
    if (!credential) return restMs
    const now = this.#clock.now()
    this.#coolUntil.set(`${id}/${credential.id}`, now + restMs)
    return Math.max(0, Math.min(...credentials.map(each => this.#readyAt(id, each))) - now)
  }

  /** How long each credential still rests; 0 if it is usable. */
  rests({ id, credentials = [] }: Pick<Provider, 'id' | 'credentials'>): readonly { readonly id: string; readonly restsForMs: number }[] {
    const now = this.#clock.now()
    return credentials.map(each => ({ id: each.id, restsForMs: Math.max(0, this.#readyAt(id, each) - now) }))
  }

  #readyAt(provider: string, credential: Credential): number {
    return this.#coolUntil.get(`${provider}/${credential.id}`) ?? 0
  }
}
