import type { TokenUsage } from '../../../core/index.ts'
import type { WireUsage } from './wire-reply.ts'

/** The prompt count includes cached tokens, but not the vendor's tool results. The output count excludes thoughts. */
export function usageOf(usage: WireUsage): TokenUsage {
  const input = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0)
  const cacheRead = Math.min(usage.cachedContentTokenCount ?? 0, input)
  const reasoning = usage.thoughtsTokenCount ?? 0
  return {
    uncachedInput: input - cacheRead,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: (usage.candidatesTokenCount ?? 0) + reasoning,
    reasoning,
  }
}
