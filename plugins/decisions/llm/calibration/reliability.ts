import type { Judged } from './temperature.ts'

/** Answers with a similar probability of the likeliest option. */
export interface Bin {
  readonly count: number
  /** The mean probability of the likeliest option. */
  readonly sureness: number
  /** The share of answers whose likeliest option was right. */
  readonly accuracy: number
}

const binCount = 10

/** Ten bins of equal width over the probability of the likeliest option, without the empty ones. */
export function reliability(judged: readonly Judged[]): readonly Bin[] {
  const bins = Map.groupBy(judged, ({ probabilities }) => Math.min(binCount - 1, Math.floor(Math.max(...probabilities) * binCount)))
  return Array.from({ length: binCount }, (_, place) => bins.get(place) ?? [])
    .filter(bin => bin.length > 0)
    .map(bin => ({
      count: bin.length,
      sureness: mean(bin.map(({ probabilities }) => Math.max(...probabilities))),
      accuracy: mean(bin.map(({ probabilities, right }) => (probabilities.indexOf(Math.max(...probabilities)) === right ? 1 : 0))),
    }))
}

/** The expected calibration error: the mean distance between sureness and accuracy, weighted by the answers in each bin. */
export function calibrationError(bins: readonly Bin[]): number {
  const answers = bins.reduce((sum, { count }) => sum + count, 0)
  return bins.reduce((sum, { count, sureness, accuracy }) => sum + (count / answers) * Math.abs(sureness - accuracy), 0)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
