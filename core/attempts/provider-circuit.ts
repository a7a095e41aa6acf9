import { Circuit } from './circuit.ts'

/** Failures of models longer ago than this say nothing about their provider now. */
const forgetAfterMs = 60_000

/**
 * The circuit of a provider as a whole. Failures count if the provider could not be reached, or if another of its models has failed lately,
 * too: a single model that fails is its own matter.
 */
export class ProviderCircuit extends Circuit {
  /** The two models that failed last, and when. */
  readonly #failedAt = new Map<string, number>()

  modelFailed(model: string, isUnreachable: boolean, startedAt: number, now: number): number | undefined {
    this.#failedAt.delete(model)
    const others = [...this.#failedAt.entries()].filter(([, at]) => now - at <= forgetAfterMs)
    for (const [other] of this.#failedAt) if (other !== others.at(-1)?.[0]) this.#failedAt.delete(other)
    this.#failedAt.set(model, now)
    return isUnreachable || others.length > 0 ? this.failed(startedAt, now) : undefined
  }
}
