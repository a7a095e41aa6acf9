import type { TokenUsage } from '../../../core/index.ts'
import { tokenCount, tokenCountIfAny } from '../../../core/kit.ts'
import type { WireUsage } from './wire-reply.ts'

/**
 * The prompt count includes cached tokens, but not the vendor's tool results. The output count excludes thoughts, and is left out if there
 * is no other output.
 */
export function usageOf(usage: WireUsage, hasSaid: boolean): TokenUsage {
  const input = tokenCount(usage.promptTokenCount) + tokenCountIfAny(usage.toolUsePromptTokenCount)
  const cacheRead = Math.min(tokenCountIfAny(usage.cachedContentTokenCount), input)
  const reasoning = tokenCountIfAny(usage.thoughtsTokenCount)
  const { candidatesTokenCount: said } = usage
  return {
    uncachedInput: input - cacheRead,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: (hasSaid ? tokenCount(said) : tokenCountIfAny(said)) + reasoning,
    reasoning,
  }
}
