import type { Endpoint, Price } from '../contracts/catalog.ts'
import { highestCostOf } from '../billing/cost.ts'
import { requestsTo, type TokenNeed } from '../billing/token-need.ts'

/** For endpoints whose output limit and context window are both unknown. */
const assumedOutputTokens = 32_768
const toleranceUsd = 1e-9

/** The cost of one answer of an endpoint, with all its choices, in US dollars. */
export interface Spend {
  /** Independent of the answer: the input, the searches, and the price of the request. */
  readonly fixedUsd: number
  readonly outputTokenUsd: number
  /** How many times the endpoint is asked. */
  readonly requests: number
  /** With the shortest output that is worth asking for. */
  readonly leastUsd: number
  /** With the longest output that the request and the endpoint allow. */
  readonly maxUsd: number
}

/** `inputTokens` is an upper bound of the request's input. */
export function spendAt(endpoint: Endpoint, price: Price, need: TokenNeed, inputTokens: number): Spend {
  const input = Math.min(inputTokens, endpoint.contextWindow ?? Infinity)
  const inputUsd = highestCostOf(input, 0, price)
  const choices = need.choices ?? 1
  const requests = requestsTo(endpoint, need.choices)
  const fixedUsd = inputUsd * requests + need.searches * choices * (price.webSearch ?? 0) + (need.searchUnits ?? 0) * (price.search ?? 0)
  const outputTokenUsd = (highestCostOf(input, 1_000_000, price) - inputUsd) / 1_000_000
  const limit = outputLimitOf(endpoint, need)
  return {
    fixedUsd,
    outputTokenUsd,
    requests,
    leastUsd: fixedUsd + Math.min(need.leastOutputTokens, limit) * choices * outputTokenUsd,
    maxUsd: fixedUsd + limit * choices * outputTokenUsd,
  }
}

/** The most output tokens that the endpoint can generate for one answer to this request. */
export function outputLimitOf({ maxOutputTokens, contextWindow }: Endpoint, { outputTokens = Infinity }: TokenNeed): number {
  return Math.min(outputTokens, maxOutputTokens ?? contextWindow ?? assumedOutputTokens)
}

/** Tolerates rounding: prices add up to fractions, and a ledger may round to a nano-dollar. */
export function covers(heldUsd: number, wantedUsd: number): boolean {
  return heldUsd + toleranceUsd >= wantedUsd
}

/** The cost of an answer with this many output tokens, at most that of the longest. */
export function costWith(outputTokens: number, { fixedUsd, outputTokenUsd, maxUsd }: Spend): number {
  return Math.min(maxUsd, fixedUsd + outputTokens * outputTokenUsd)
}

/** The output tokens that `heldUsd` pays for, after the fixed cost. */
export function outputTokensFor(heldUsd: number, { fixedUsd, outputTokenUsd }: Spend): number {
  return Math.floor((heldUsd + toleranceUsd - fixedUsd) / outputTokenUsd)
}
