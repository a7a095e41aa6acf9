import { LRUCache } from 'lru-cache'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import type { Credential, Provider, ProviderFailure } from '../contracts/provider.ts'
import { policyOf } from './failure-policy.ts'

const noCredential: readonly undefined[] = [undefined]

/** Rotates a provider's credentials and skips those that failed recently. */
export class Credentials {
  readonly #clock: Clock
  readonly #coolUntil = new LRUCache<string, number>({ max: 10_000 })
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

  /** Lets the credential cool down if the failure is its fault. */
  failed(provider: string, credential: Credential | undefined, failure: ProviderFailure): void {
    const { coolDownMs } = policyOf(failure)
    if (!credential || coolDownMs === undefined) return
    this.#coolUntil.set(`${provider}/${credential.id}`, this.#clock.now() + (failure.retryAfterMs ?? coolDownMs))
  }

  #readyAt(provider: string, credential: Credential): number {
    return this.#coolUntil.get(`${provider}/${credential.id}`) ?? 0
  }
}
