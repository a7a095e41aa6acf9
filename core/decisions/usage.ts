import type { DecisionReply, DecisionRequest, DecisionUsage } from '../contracts/decision.ts'
import { noUsage, type TokenUsage } from '../contracts/events.ts'
import { soundUsage } from '../billing/cost.ts'
import { estimateDecisionInput } from './token-limits.ts'

/** The usage that the vendor reported. */
export function countedUsage({ usage }: DecisionReply): TokenUsage | undefined {
  return usage && soundUsage({ ...noUsage, uncachedInput: usage.input_tokens, output: usage.output_tokens })
}

/** The reported usage, or an estimate. */
export function billedUsage(reply: DecisionReply, request: DecisionRequest): TokenUsage {
  return countedUsage(reply) ?? { ...noUsage, uncachedInput: estimateDecisionInput(request), estimated: true }
}

/** The usage in the response. */
export function toldUsage({ usage }: DecisionReply, billed: TokenUsage): DecisionUsage {
  if (usage) return usage
  const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output } = billed
  return { input_tokens: uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h, output_tokens: output }
}
