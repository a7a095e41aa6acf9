import type { GatewayError } from '../foundation/errors.ts'
import type { Contender } from './attempt.ts'
import type { EndpointCircuits } from './endpoint-circuits.ts'

/** The contenders that one request has left. Those with an open circuit come last. Both lanes of a hedged request take from the same line. */
export class Line<C extends Contender = Contender> {
  readonly #contenders: readonly C[]
  readonly #circuits: EndpointCircuits
  /** Those whose circuit was open when it was their turn. */
  #later: C[] | undefined
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
      this.putBack(contender)
    }
    return healthy ? undefined : this.#later?.shift()
  }

  /** To the end. */
  putBack(contender: C): void {
    this.#later = [...(this.#later ?? []), contender]
  }
}
