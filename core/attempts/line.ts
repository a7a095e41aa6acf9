import type { PassedOver } from '../contracts/log-sink.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { Contender } from './attempt.ts'
import type { EndpointCircuits } from './endpoint-circuits.ts'

/** A contender that could not be asked when it was its turn, or would not have been. */
export interface PutOff<C> {
  readonly contender: C
  readonly why: PassedOver
}

/**
 * The contenders that one request has left. Those with an open circuit come last, and after them those of a provider that has failed. Both
 * lanes of a hedged request take from the same line.
 */
export class Line<C extends Contender = Contender> {
  readonly #contenders: readonly C[]
  readonly #circuits: EndpointCircuits
  /** Those that could not be asked when it was their turn. */
  #later: PutOff<C>[] | undefined
  #wasPutOff: Set<C> | undefined
  #failedProviders: Set<string> | undefined
  #next = 0
  attemptsLeft: number
  /** Why the contender that was tried last did not answer. */
  failure: (() => GatewayError) | undefined

  constructor(contenders: readonly C[], circuits: EndpointCircuits, maxAttempts: number) {
    this.#contenders = contenders
    this.#circuits = circuits
    this.attemptsLeft = maxAttempts
  }

  /** Nothing is left to try. */
  get isEmpty(): boolean {
    return this.attemptsLeft === 0 || (this.#next >= this.#contenders.length && !this.#later?.length)
  }

  /** Undefined when none is left. `healthy`: leaves the endpoints with an open circuit in the line. */
  take(healthy: boolean): C | undefined {
    if (this.attemptsLeft === 0) return undefined
    while (this.#next < this.#contenders.length) {
      const contender = this.#contenders[this.#next++]!
      if (this.hasFailed(contender)) {
        this.putOff(contender, 'provider')
        continue
      }
      // A request that has nowhere else to go is no probe: it is sent in any case.
      if (this.#contenders.length === 1 || this.#circuits.admits(contender.endpoint)) return contender
      this.putOff(contender, 'circuit')
    }
    return healthy ? undefined : this.#takeLater()
  }

  /** Call when the contender failed and its provider's other endpoints would, too. */
  providerFailed({ provider }: C): void {
    ;(this.#failedProviders ??= new Set()).add(provider.id)
  }

  /** True after `providerFailed` for any endpoint of the contender's provider. */
  hasFailed({ provider }: C): boolean {
    return this.#failedProviders?.has(provider.id) ?? false
  }

  /** To the end. */
  putOff(contender: C, why: PassedOver): void {
    ;(this.#later ??= []).push({ contender, why })
    ;(this.#wasPutOff ??= new Set()).add(contender)
  }

  /** Whether there is anyone else to ask first. Nobody is put off twice, so that the line ends. */
  canPutOff(contender: C): boolean {
    return !this.isEmpty && !this.#wasPutOff?.has(contender)
  }

  /** Call when no other contender will be asked, because one has answered. Returns those that were put off, or would have been. */
  close(): readonly PutOff<C>[] {
    if (this.#circuits.allHealthy && !this.#later && !this.#failedProviders) {
      this.#next = this.#contenders.length
      return none
    }
    const { later, next } = this.#clear()
    const left = next.map(contender => ({ contender, why: this.#whyNot(contender) }))
    return [...later, ...left.filter((each): each is PutOff<C> => each.why !== undefined)]
  }

  /** Call when no attempt is left. Returns the contenders that this leaves out. */
  cut(): readonly PutOff<C>[] {
    const { later, next } = this.#clear()
    return [...next, ...later.map(({ contender }) => contender)].map(contender => ({ contender, why: 'attempt-limit' }))
  }

  #whyNot(contender: C): PassedOver | undefined {
    if (this.hasFailed(contender)) return 'provider'
    return this.#circuits.isOpen(contender.endpoint) ? 'circuit' : undefined
  }

  #takeLater(): C | undefined {
    if (!this.#later) return undefined
    const other = this.#later.findIndex(({ contender }) => !this.hasFailed(contender))
    return this.#later.splice(Math.max(0, other), 1)[0]?.contender
  }

  #clear(): { readonly later: readonly PutOff<C>[]; readonly next: readonly C[] } {
    const cleared = { later: this.#later ?? none, next: this.#contenders.slice(this.#next) }
    this.#later = undefined
    this.#next = this.#contenders.length
    return cleared
  }
}

const none: readonly never[] = []
