/** Divides the log-odds by a temperature: above 1, the probabilities become less extreme; below 1, more extreme. */
export function tempered(probabilities: readonly number[], temperature: number): readonly number[] {
  if (temperature === 1) return probabilities
  const largest = Math.max(...probabilities)
  return normalised(probabilities.map(probability => (probability / largest) ** (1 / temperature)))
}

/** Scales the weights to a sum of 1. */
export function normalised(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map(weight => weight / sum)
}
