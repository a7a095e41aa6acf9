import type { PassedOver } from '../contracts/log-sink.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { Contender } from './attempt.ts'
import type { EndpointCircuits } from './endpoint-circuits.ts'

/** A contender that could not be asked when it was its turn, or would not have been. */
export interface PutOff<C> {
  readonly contender: C
  readonly why: PassedOver
}

/** The contenders that one request has left. Those with an open circuit come last. Both lanes of a hedged request take from the same line. */
export class Line<C extends Contender = Contender> {
  readonly #contenders: readonly C[]
  readonly #circuits: EndpointCircuits
  /** Those that could not be asked when it was their turn. */
  #later: PutOff<C>[] | undefined
  #wasPutOff: readonly C[] = none
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
      // A request that has nowhere else to go is no probe: it is sent in any case.
      if (this.#contenders.length === 1 || this.#circuits.admits(contender.endpoint)) return contender
      this.putOff(contender, 'circuit')
    }
    return healthy ? undefined : this.#later?.shift()?.contender
  }

  /** To the end. */
  putOff(contender: C, why: PassedOver): void {
    this.#later = [...(this.#later ?? []), { contender, why }]
    this.#wasPutOff = [...this.#wasPutOff, contender]
  }

  /** Whether there is anyone else to ask first. Nobody is put off twice, so that the line ends. */
  canPutOff(contender: C): boolean {
    return !this.isEmpty && !this.#wasPutOff.includes(contender)
  }

  /** Call when no other contender will be asked, because one has answered. Returns those that were put off, or would have been. */
  close(): readonly PutOff<C>[] {
    const { later, next } = this.#clear()
    if (this.#circuits.allHealthy) return later
    const open = next.filter(({ endpoint }) => this.#circuits.isOpen(endpoint))
    return [...later, ...open.map(contender => ({ contender, why: 'circuit' as const }))]
  }

  /** Call when no attempt is left. Returns the contenders that this leaves out. */
  cut(): readonly PutOff<C>[] {
    const { later, next } = this.#clear()
    return [...next, ...later.map(({ contender }) => contender)].map(contender => ({ contender, why: 'attempt-limit' }))
  }

  #clear(): { readonly later: readonly PutOff<C>[]; readonly next: readonly C[] } {
    const cleared = { later: this.#later ?? none, next: this.#contenders.slice(this.#next) }
    this.#later = undefined
    this.#next = this.#contenders.length
    return cleared
  }
}

const none: readonly never[] = []
