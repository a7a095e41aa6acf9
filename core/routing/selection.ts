import type { Endpoint } from '../contracts/catalog.ts'
import type { PassedOver } from '../contracts/log-sink.ts'

/** The endpoints of a request that are left, and the reasons why the others are not. */
export class Selection {
  #endpoints: readonly Endpoint[]
  /** In the order in which they were passed over. */
  readonly passedOver: { readonly endpoint: Endpoint; readonly reason: PassedOver }[] = []

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = endpoints
  }

  get endpoints(): readonly Endpoint[] {
    return this.#endpoints
  }

  /** `left` has some of the endpoints, in the same order. */
  keep(left: readonly Endpoint[], reason: PassedOver): void {
    if (left.length === this.#endpoints.length) return
    let next = 0
    for (const endpoint of this.#endpoints) {
      if (endpoint === left[next]) next++
      else this.passedOver.push({ endpoint, reason })
    }
    this.#endpoints = left
  }
}
