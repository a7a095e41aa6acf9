import type { TraceContext } from '../../../core/kit.ts'

export interface SamplingOptions {
  readonly ratio: number
  readonly parent: boolean
}

/** Which traces are kept. */
export class Sampling {
  readonly #options: SamplingOptions
  /** Trace ids whose random part is at least this are kept, as other tools decide by the same ratio. */
  readonly #threshold: number

  constructor(options: SamplingOptions) {
    this.#options = options
    this.#threshold = (1 - options.ratio) * 2 ** 56
  }

  keeps(traceId: string, parent: TraceContext | null): boolean {
    const { ratio, parent: heeds } = this.#options
    if (heeds && parent) return parent.isSampled
    if (ratio === 1) return true
    if (ratio === 0) return false
    // The last 56 bits are random: https://www.w3.org/TR/trace-context-2/#random-trace-id-flag.
    return Number.parseInt(traceId.slice(-14), 16) >= this.#threshold
  }
}
