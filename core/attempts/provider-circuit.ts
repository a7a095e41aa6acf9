import { Circuit } from './circuit.ts'
import type { ProviderTraffic } from './provider-traffic.ts'

/** The circuit of a provider as a whole. It opens by the provider's traffic: failures of a single model say nothing about the rest. */
export class ProviderCircuit extends Circuit {
  readonly #traffic: ProviderTraffic

  constructor(traffic: ProviderTraffic) {
    super(() => traffic.breaker)
    this.#traffic = traffic
  }

  /** `model` is undefined if no connection was made. Returns how long the circuit is open if this opened it. */
  modelFailed(model: string | undefined, startedAt: number, now: number): number | undefined {
    this.#traffic.failed(model, now)
    return this.failed(startedAt, now)
  }
}
