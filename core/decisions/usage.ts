import type { TokenNeed } from '../billing/token-need.ts'
import type { UnreportedUsage } from '../billing/unreported-usage.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { DecisionReply, DecisionRequest, DecisionUsage } from '../contracts/decision.ts'
import { noUsage, type TokenUsage } from '../contracts/events.ts'
import { soundUsage } from '../billing/cost.ts'
import { membersOf } from '../foundation/json.ts'
import { decisionNeed } from './token-limits.ts'

/** The usage that the vendor reported. */
export function countedUsage({ usage }: DecisionReply): TokenUsage | undefined {
  if (!usage) return undefined
  const { input_tokens: input, output_tokens: output, input_tokens_details: read, output_tokens_details: written } = usage
  if (!read && !written) return soundUsage({ ...noUsage, uncachedInput: input, output })
  const cacheRead = countIn(read, 'cached_tokens')
  const cacheWrite5m = countIn(read, 'cache_write_tokens')
  const reasoning = countIn(written, 'reasoning_tokens')
  return soundUsage({ ...noUsage, uncachedInput: input - cacheRead - cacheWrite5m, cacheRead, cacheWrite5m, output, reasoning })
}

function countIn(details: unknown, name: string): number {
  const count = membersOf(details)[name]
  return typeof count === 'number' ? count : 0
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
