import type { TokenUsage } from '../../../core/index.ts'
import { membersOf, tokenCount, tokenCountIfAny } from '../../../core/kit.ts'
import type { WireUsage } from './wire-reply.ts'

/** `inputTokens` excludes tokens read from and written to the cache. Output tokens include thoughts, without a separate count. */
export function usageOf(usage: WireUsage): TokenUsage {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails } = membersOf(usage) as WireUsage
  const details = Array.isArray(cacheDetails) ? (cacheDetails as NonNullable<WireUsage['cacheDetails']>) : []
  const written = (ttl: string): number =>
    details.reduce((sum, each) => sum + (each.ttl === ttl ? tokenCountIfAny(each.inputTokens) : 0), 0)
  const total = tokenCountIfAny(cacheWriteInputTokens ?? written('5m') + written('1h'))
  const cacheWrite1h = Math.min(written('1h'), total)
  return {
    uncachedInput: tokenCount(inputTokens),
    cacheRead: tokenCountIfAny(cacheReadInputTokens),
    cacheWrite5m: total - cacheWrite1h,
    cacheWrite1h,
    output: tokenCount(outputTokens),
    reasoning: 0,
  }
}
