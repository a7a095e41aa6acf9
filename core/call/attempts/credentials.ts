import { Clock } from '../../foundation/clock.ts'
import { wire } from '../../framework/container.ts'
import type { Credential, Provider, ProviderFailure } from '../../contracts/provider.ts'
import { concernOf, mayBeOfRequest, policyOf } from './failure-policy.ts'
import { recentValues } from '../../runtime/recent-values.ts'
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
  readonly #coolUntil = recentValues<string, number>(10_000)
  /** The same, where every model of the account fails: its key is refused, or its credit spent. */
  readonly #closedUntil = recentValues<string, number>(10_000)
  /** The same, after a rate limit. */
  readonly #limitedUntil = recentValues<string, number>(10_000)
  readonly #suspicions = new Suspicions()
  /** Credentials that were asked while they rested. If one answers, its rest is over. */
  readonly #probes = new Set<string>()
  readonly #turns = new Map<string, number>()

  static {
    wire(this, [Clock])
  }

  constructor(clock: Clock) {
    this.#clock = clock
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
    const usable = rotated.filter(credential => this.#readyAt(use, credential, now) <= now)
    if (usable.length > 0) return usable
    const soonest = rotated.sort((a, b) => this.#readyAt(use, a, now) - this.#readyAt(use, b, now))
    return this.#probing(
      id,
      soonest.every(credential => (this.#limitedUntil.get(keyOf(id, credential)) ?? 0) > now) ? soonest.slice(0, 1) : soonest,
    )
  }

  #probing(provider: string, credentials: readonly Credential[]): readonly Credential[] {
    if (this.#coolUntil.size === 0) return credentials
    const now = this.#clock.now()
    for (const credential of credentials) {
      const key = keyOf(provider, credential)
      if ((this.#coolUntil.get(key) ?? 0) > now) this.#probes.add(key)
    }
    return credentials
  }

  /**
   * Every credential would probably be refused. A rate limit may be that of another model, so this is only for the order of endpoints.
   */
  areRefused(use: CredentialUse): boolean {
    if (this.#limitedUntil.size === 0 && this.#closedUntil.size === 0 && this.#suspicions.areNone) return false
    const now = this.#clock.now()
    const { id, credentials } = use.provider
    return (credentials?.length ? credentials : noCredential).every(credential => {
      const key = keyOf(id, credential)
      const until = Math.max(this.#closedUntil.get(key) ?? 0, this.#limitedUntil.get(key) ?? 0)
      return until > now || this.#suspectUntil(use, credential, now) > now
    })
  }

  /** Every credential rests, for whatever reason. */
  areResting(use: CredentialUse): boolean {
    const now = this.#clock.now()
    const { credentials } = use.provider
    return (credentials?.length ? credentials : noCredential).every(credential => this.#readyAt(use, credential, now) > now)
  }

  /**
   * Lets the credential cool down if the failure is its fault. Returns the milliseconds until the provider has a usable credential again, 0
   * if it has one now.
   */
  failed(use: CredentialUse, credential: Credential | undefined, failure: ProviderFailure): number {
    const { coolDownMs } = policyOf(failure)
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
    this.#coolUntil.set(key, now + restMs)
    if (concernOf(failure) === 'account') this.#closedUntil.set(key, now + Math.min(restMs, coolDownMs))
    else this.#limitedUntil.set(key, now + restMs)
    if (!credential) return restMs
    return Math.max(0, Math.min(...credentials.map(each => this.#coolUntil.get(keyOf(id, each)) ?? 0)) - now)
  }

  /** Call when the credential was accepted. */
  accepted(use: CredentialUse, credential: Credential | undefined): void {
    if (this.#closedUntil.size > 0) this.#closedUntil.delete(keyOf(use.provider.id, credential))
    if (this.#probes.size > 0) {
      const key = keyOf(use.provider.id, credential)
      if (this.#probes.delete(key)) {
        this.#coolUntil.delete(key)
        this.#limitedUntil.delete(key)
      }
    }
    if (!this.#suspicions.areNone) this.#suspicions.answered(suspicionOf(use, credential))
  }

  /** How long each credential still rests; 0 if it is usable. */
  rests({ id, credentials = [] }: Pick<Provider, 'id' | 'credentials'>): readonly { readonly id: string; readonly restsForMs: number }[] {
    const now = this.#clock.now()
    return credentials.map(each => ({ id: each.id, restsForMs: Math.max(0, (this.#coolUntil.get(keyOf(id, each)) ?? 0) - now) }))
  }

  #readyAt(use: CredentialUse, credential: Credential | undefined, now: number): number {
    return Math.max(this.#coolUntil.get(keyOf(use.provider.id, credential)) ?? 0, this.#suspectUntil(use, credential, now))
  }

  #suspectUntil(use: CredentialUse, credential: Credential | undefined, now: number): number {
    return this.#suspicions.areNone ? 0 : this.#suspicions.restsUntil(suspicionOf(use, credential), use.owner, now)
  }
}

function keyOf(provider: string, credential: Credential | undefined): string {
  return `${provider}/${credential?.id ?? ''}`
}

function suspicionOf({ provider, model }: CredentialUse, credential: Credential | undefined): string {
  return `${keyOf(provider.id, credential)}\n${model}`
}
