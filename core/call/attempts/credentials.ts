import { Clock } from '../../foundation/clock.ts'
import { SharedMaps, type SharedMap } from '../../contracts/shared-state.ts'
import { wire } from '../../framework/container.ts'
import type { Credential, Provider, ProviderFailure } from '../../contracts/provider.ts'
import { concernOf, mayBeOfRequest, failurePolicyOf } from './failure-policy.ts'
import { Suspicions } from './suspicions.ts'

const noCredential: readonly undefined[] = [undefined]

/** The use of a credential. */
export interface CredentialUse {
  readonly provider: Pick<Provider, 'id' | 'credentials'>
  readonly model: string
  /** Whose request it is. */
  readonly owner: string
}

/** Rotates a provider's credentials and skips those that failed recently. */
export class Credentials {
  readonly #clock: Clock
  readonly #cooling: SharedMap<true>
  /** Resting credentials of accounts where every model fails: the key is refused, or the credit spent. */
  readonly #closed: SharedMap<true>
  /** Resting credentials that reached a rate limit. */
  readonly #limited: SharedMap<true>
  readonly #suspicions = new Suspicions()
  /** Credentials that were asked while they rested. If one answers, its rest is over. */
  readonly #probes = new Set<string>()
  readonly #turns = new Map<string, number>()

  static {
    wire(this, [Clock, SharedMaps])
  }

  constructor(clock: Clock, shared: SharedMaps) {
    this.#clock = clock
    const map = (name: string): SharedMap<true> =>
      shared.map(`credentials/${name}`, { max: 10_000, keys: 'ids', accepts: value => value === true })
    this.#cooling = map('cooling')
    this.#closed = map('closed')
    this.#limited = map('limited')
  }

  /**
   * The credentials to try, in order: the usable ones in rotation or, while all are cooling down, all of them, the soonest ready first.
   * While all have reached a rate limit, only the soonest ready one. A provider without credentials gets one `undefined`.
   */
  inTurn(use: CredentialUse): readonly (Credential | undefined)[] {
    const { id, credentials } = use.provider
    if (!credentials || credentials.length === 0) return noCredential
    if (credentials.length === 1) return this.#probing(id, credentials)
    const turn = this.#turns.get(id) ?? 0
    this.#turns.set(id, (turn + 1) % credentials.length)
    const rotated = [...credentials.slice(turn), ...credentials.slice(0, turn)]
    const now = this.#clock.now()
    const usable = rotated.filter(credential => this.#restsForMs(use, credential, now) <= 0)
    if (usable.length > 0) return usable
    const soonest = rotated.sort((a, b) => this.#restsForMs(use, a, now) - this.#restsForMs(use, b, now))
    const areLimited = soonest.every(credential => this.#limited.leftMs(keyOf(id, credential)) > 0)
    return this.#probing(id, areLimited ? soonest.slice(0, 1) : soonest)
  }

  #probing(provider: string, credentials: readonly Credential[]): readonly Credential[] {
    if (this.#cooling.size === 0) return credentials
    for (const credential of credentials) {
      const key = keyOf(provider, credential)
      if (this.#cooling.get(key)) this.#probes.add(key)
    }
    return credentials
  }

  /**
   * Every credential would probably be refused. A rate limit may be that of another model, so this is only for the order of endpoints.
   */
  areRefused(use: CredentialUse): boolean {
    if (this.#limited.size === 0 && this.#closed.size === 0 && this.#suspicions.areNone) return false
    const now = this.#clock.now()
    const { id, credentials } = use.provider
    return (credentials?.length ? credentials : noCredential).every(credential => {
      const key = keyOf(id, credential)
      return this.#closed.get(key) || this.#limited.get(key) || this.#suspectForMs(use, credential, now) > 0
    })
  }

  /** Every credential rests, for whatever reason. */
  areResting(use: CredentialUse): boolean {
    const now = this.#clock.now()
    const { credentials } = use.provider
    return (credentials?.length ? credentials : noCredential).every(credential => this.#restsForMs(use, credential, now) > 0)
  }

  /**
   * Lets the credential cool down if the failure is its fault. Returns the milliseconds until the provider has a usable credential again, 0
   * if it has one now.
   */
  failed(use: CredentialUse, credential: Credential | undefined, failure: ProviderFailure): number {
    const { coolDownMs } = failurePolicyOf(failure)
    if (coolDownMs === undefined) return 0
    const { id, credentials = [] } = use.provider
    const now = this.#clock.now()
    if (mayBeOfRequest(failure)) {
      this.#suspicions.failed(suspicionOf(use, credential), use.owner, now)
      return 0
    }
    const restMs = failure.retryAfterMs ?? coolDownMs
    const key = keyOf(id, credential)
    this.#probes.delete(key)
    this.#cooling.set(key, true, restMs)
    if (concernOf(failure) === 'account') this.#closed.set(key, true, Math.min(restMs, coolDownMs))
    else this.#limited.set(key, true, restMs)
    return credential ? Math.min(...credentials.map(each => this.#cooling.leftMs(keyOf(id, each)))) : restMs
  }

  /** Call when the credential was accepted. */
  accepted(use: CredentialUse, credential: Credential | undefined): void {
    if (this.#closed.size > 0) this.#closed.delete(keyOf(use.provider.id, credential))
    if (this.#probes.size > 0) {
      const key = keyOf(use.provider.id, credential)
      if (this.#probes.delete(key)) {
        this.#cooling.delete(key)
        this.#limited.delete(key)
      }
    }
    if (!this.#suspicions.areNone) this.#suspicions.answered(suspicionOf(use, credential))
  }

  /** How long each credential still rests; 0 if it is usable. */
  rests({ id, credentials = [] }: Pick<Provider, 'id' | 'credentials'>): readonly { readonly id: string; readonly restsForMs: number }[] {
    return credentials.map(each => ({ id: each.id, restsForMs: this.#cooling.leftMs(keyOf(id, each)) }))
  }

  #restsForMs(use: CredentialUse, credential: Credential | undefined, now: number): number {
    return Math.max(this.#cooling.leftMs(keyOf(use.provider.id, credential)), this.#suspectForMs(use, credential, now))
  }

  #suspectForMs(use: CredentialUse, credential: Credential | undefined, now: number): number {
    return this.#suspicions.areNone ? 0 : Math.max(0, this.#suspicions.restsUntil(suspicionOf(use, credential), use.owner, now) - now)
  }
}

function keyOf(provider: string, credential: Credential | undefined): string {
  return `${provider}/${credential?.id ?? ''}`
}

function suspicionOf({ provider, model }: CredentialUse, credential: Credential | undefined): string {
  return `${keyOf(provider.id, credential)}\n${model}`
}
