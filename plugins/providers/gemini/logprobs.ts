import type { LogProb } from '../../../core/kit.ts'
import type { WireLogprobs, WireToken } from './wire-reply.ts'

/** The chosen tokens, each with its alternatives. */
export function logprobsOf({ chosenCandidates, topCandidates }: WireLogprobs): readonly LogProb[] {
  return (chosenCandidates ?? []).map((chosen, index) => ({
    ...logprob(chosen),
    top_logprobs: (topCandidates?.[index]?.candidates ?? []).map(logprob),
  }))
}

function logprob({ token = '', logProbability = 0 }: WireToken): LogProb {
  return { token, logprob: logProbability, bytes: [...Buffer.from(token)] }
}
