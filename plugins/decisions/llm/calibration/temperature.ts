/** A probability for each option of a question, and the index of the right option. */
export interface Judged {
  readonly probabilities: readonly number[]
  readonly right: number
}

/** A temperature beyond these limits only means that the examples are not conclusive. */
export const lowestTemperature = 0.05
export const maxTemperature = 20

const precision = 1e-6
const goldenRatio = (Math.sqrt(5) - 1) / 2
/** Replaces a probability of 0, whose logarithm is infinite. */
const leastProbability = 1e-15

/**
 * The temperature that makes the right answers likeliest, by golden-section search over its logarithm. The mean negative log-likelihood is
 * convex in the inverse temperature (Guo et al., "On Calibration of Modern Neural Networks", 2017), so it has one minimum.
 */
export function fitTemperature(judged: readonly Judged[]): number {
  const surprise = (logarithm: number): number => meanSurprise(judged, Math.exp(logarithm))
  let low = Math.log(lowestTemperature)
  let high = Math.log(maxTemperature)
  let left = high - goldenRatio * (high - low)
  let right = low + goldenRatio * (high - low)
  let atLeft = surprise(left)
  let atRight = surprise(right)
  while (high - low > precision) {
    if (atLeft <= atRight) {
      high = right
      right = left
      atRight = atLeft
      left = high - goldenRatio * (high - low)
      atLeft = surprise(left)
    } else {
      low = left
      left = right
      atLeft = atRight
      right = low + goldenRatio * (high - low)
      atRight = surprise(right)
    }
  }
  return Math.exp((low + high) / 2)
}

/** The mean negative log-likelihood of the right answers at a temperature. */
export function meanSurprise(judged: readonly Judged[], temperature: number): number {
  let sum = 0
  for (const { probabilities, right } of judged) {
    const logits = probabilities.map(probability => Math.log(Math.max(probability, leastProbability)) / temperature)
    const largest = Math.max(...logits)
    sum += largest + Math.log(logits.reduce((total, logit) => total + Math.exp(logit - largest), 0)) - logits[right]!
  }
  return sum / judged.length
}
