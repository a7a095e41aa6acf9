import type { TraceContext } from '../../../core/kit.ts'

export interface SamplingOptions {
  readonly ratio: number
  readonly parent: boolean
  readonly maxPerSecond: number
}

/** Which traces are kept. */
export class Sampling {
  readonly #options: SamplingOptions
  /** Trace ids whose random part is at least this are kept, as other tools decide by the same ratio. */
  readonly #threshold: number
  /** How many more may be kept now. It fills up within a second. */
  #room: number
  #atMs = 0

  constructor(options: SamplingOptions) {
    this.#options = options
    this.#threshold = (1 - options.ratio) * 2 ** 56
    this.#room = options.maxPerSecond
  }

  /** `atMs`: the arrival of the request, since the epoch. */
  keeps(traceId: string, parent: TraceContext | null, atMs: number): boolean {
    return this.#wants(traceId, parent) && this.#hasRoom(atMs)
  }

  #wants(traceId: string, parent: TraceContext | null): boolean {
    const { ratio, parent: heeds } = this.#options
    if (heeds && parent) return parent.isSampled
    if (ratio === 1) return true
    if (ratio === 0) return false
    // The last 56 bits are random: https://www.w3.org/TR/trace-context-2/#random-trace-id-flag.
    return Number.parseInt(traceId.slice(-14), 16) >= this.#threshold
  }

  #hasRoom(atMs: number): boolean {
    const { maxPerSecond } = this.#options
    if (atMs > this.#atMs) {
      this.#room = Math.min(maxPerSecond, this.#room + ((atMs - this.#atMs) * maxPerSecond) / 1_000)
      this.#atMs = atMs
    }
    if (this.#room < 1) return false
    this.#room--
    return true
  }
}
