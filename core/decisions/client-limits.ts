import { maxLevels, type DecisionClient, type DecisionLimits } from '../contracts/decision.ts'

// In tokens of the JSON text: docs/protocol/decisions.md#limits.
export const requestTokenLimit = 64_000
export const questionTokenLimit = 32_000

export function limitsOf({ limits }: DecisionClient): Required<DecisionLimits> {
  return { ...usual, ...limits }
}

const usual: Required<DecisionLimits> = {
  items: false,
  levels: maxLevels,
  questions: Infinity,
  requestTokens: requestTokenLimit,
  questionTokens: questionTokenLimit,
}
