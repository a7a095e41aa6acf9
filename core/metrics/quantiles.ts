import type { Histogram } from './histogram.ts'

const cached = [0.5, 0.9, 0.99]

/** Reads a histogram that may keep changing. The quantiles that are read most are found once for each of its states. */
export class Quantiles {
  readonly #histogram: Histogram
  readonly #versions = cached.map(() => -1)
  readonly #values: (number | undefined)[] = cached.map(() => undefined)

  constructor(histogram: Histogram) {
    this.#histogram = histogram
  }

  at(quantile: number): number | undefined {
    const { version } = this.#histogram
    const index = cached.indexOf(quantile)
    if (index === -1) return this.#histogram.quantile(quantile)
    if (this.#versions[index] !== version) {
      this.#versions[index] = version
      this.#values[index] = this.#histogram.quantile(quantile)
    }
    return this.#values[index]
  }
}
