import type { TokenNeed } from '../billing/token-need.ts'
import { estimateTokens } from '../tokens/estimate.ts'

/** A rate limit evens out over time, so holding the likely number of tokens is enough. `requests`: how often the input is sent. */
export function likelyTokens({ texts, otherInputTokens, choices = 1 }: TokenNeed, outputTokens: number, requests = 1): number {
  const input = estimateTokens(texts.reduce((sum, { length }) => sum + length, 0)) + otherInputTokens
  return input * requests + outputTokens * choices
}
