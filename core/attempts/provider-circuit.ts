import { Circuit } from './circuit.ts'

/** Failures of models longer ago than this say nothing about their provider now. */
const forgetAfterMs = 60_000

interface ModelFailure {
  readonly model: string
  readonly at: number
}

/**
 * The circuit of a provider as a whole. It counts failures to reach the provider, and other failures once two of its models have them: a
 * single model that fails says nothing about the rest.
 */
export class ProviderCircuit extends Circuit {
  #last: ModelFailure | undefined
  /** The last failure of another model than that. */
  #other: ModelFailure | undefined

  /** Returns how long the circuit is open if this opened it. */
  modelFailed(model: string, isUnreachable: boolean, startedAt: number, now: number): number | undefined {
    if (this.#last?.model !== model) this.#other = this.#last
    this.#last = { model, at: now }
    const isShared = this.#other !== undefined && now - this.#other.at <= forgetAfterMs
    return isUnreachable || isShared ? this.failed(startedAt, now) : undefined
  }
}
