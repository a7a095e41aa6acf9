import type { TokenUsage } from '../../../core/index.ts'
import type { WireUsage } from './wire-reply.ts'

/** `inputTokens` excludes tokens read from and written to the cache. Output tokens include thoughts, without a separate count. */
export function usageOf(usage: WireUsage): TokenUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadInputTokens = 0, cacheDetails = [] } = usage
  const written = (ttl: string): number => cacheDetails.reduce((sum, each) => sum + (each.ttl === ttl ? (each.inputTokens ?? 0) : 0), 0)
  const total = usage.cacheWriteInputTokens ?? written('5m') + written('1h')
  const cacheWrite1h = Math.min(written('1h'), total)
  return {
    uncachedInput: inputTokens,
    cacheRead: cacheReadInputTokens,
    cacheWrite5m: total - cacheWrite1h,
    cacheWrite1h,
    output: outputTokens,
    reasoning: 0,
  }
}
