import { LRUCache } from 'lru-cache'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import type { Credential, Provider, ProviderFailure } from '../contracts/provider.ts'

const coolDownMs = { auth: 300_000, quota: 300_000, 'rate-limit': 20_000 }
const noCredential: readonly undefined[] = [undefined]

/** Chooses among a provider's keys: in turn, and without those that lately failed. */
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

  /** Usable ones first, in turn; when all cool down, all of them, the soonest ready first. One `undefined` for a provider that has none. */
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

  /** Remembers a failure that is the credential's own. */
  failed(provider: string, credential: Credential | undefined, failure: ProviderFailure): void {
    if (!credential || !(failure.kind in coolDownMs)) return
    const restMs = failure.retryAfterMs ?? coolDownMs[failure.kind as keyof typeof coolDownMs]
    this.#coolUntil.set(`${provider}/${credential.id}`, this.#clock.now() + restMs)
  }

  #readyAt(provider: string, credential: Credential): number {
    return this.#coolUntil.get(`${provider}/${credential.id}`) ?? 0
  }
}
