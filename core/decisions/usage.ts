import type { TokenNeed } from '../billing/token-need.ts'
import type { UnreportedUsage } from '../billing/unreported-usage.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { DecisionReply, DecisionRequest, DecisionUsage } from '../contracts/decision.ts'
import { noUsage, type TokenUsage } from '../contracts/events.ts'
import { soundUsage } from '../billing/cost.ts'
import { decisionNeed } from './token-limits.ts'

/** The usage that the vendor reported. */
export function countedUsage({ usage }: DecisionReply): TokenUsage | undefined {
  return usage && soundUsage({ ...noUsage, uncachedInput: usage.input_tokens, output: usage.output_tokens })
}

/** The reported usage, or what the request has by our own count. Nobody but the vendor knows what its probabilities took. */
export async function billedUsage(
  reply: DecisionReply,
  request: DecisionRequest,
  endpoint: Endpoint,
  unreported: UnreportedUsage,
): Promise<TokenUsage> {
  const input = (): TokenNeed => decisionNeed(request)
  return countedUsage(reply) ?? (await unreported.of({ input, endpoint, reported: undefined, said: [], maxOutputTokens: Infinity }))
}

/** The usage in the response. */
export function toldUsage({ usage }: DecisionReply, billed: TokenUsage): DecisionUsage {
  if (usage) return usage
  const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output } = billed
  return { input_tokens: uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h, output_tokens: output }
}
