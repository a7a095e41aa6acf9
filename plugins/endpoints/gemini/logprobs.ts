import type { JsonObject } from '../../../core/index.ts'
import type { LogProb } from '../../../core/kit.ts'

/** `logprobsResult`. */
export function logprobsResult(tokens: readonly LogProb[]): JsonObject {
  return {
    chosenCandidates: tokens.map(candidate),
    topCandidates: tokens.map(({ top_logprobs: others = [] }) => ({ candidates: others.map(candidate) })),
  }
}

function candidate({ token, logprob }: Pick<LogProb, 'token' | 'logprob'>): JsonObject {
  return { token, logProbability: logprob }
}
