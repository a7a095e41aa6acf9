import type { TokenUsage } from '../../../core/index.ts'
import { membersOf, tokenCount, tokenCountIfAny } from '../../../core/kit.ts'
import type { WireUsage } from './wire-reply.ts'

/**
 * The billed tokens. The vendor's `tokens` also count its preamble and citation marks, which are free; `cached_tokens` starts with those.
 */
export function usageOf(usage: WireUsage): TokenUsage {
  const { billed_units: billed, tokens, cached_tokens: cached } = membersOf(usage) as WireUsage
  const input = tokenCount(billed?.input_tokens ?? tokens?.input_tokens)
  const output = tokenCount(billed?.output_tokens ?? tokens?.output_tokens)
  const read = tokenCount(tokens?.input_tokens ?? input) + tokenCountIfAny(tokens?.image_tokens)
  const cacheRead = Math.min(Math.max(tokenCountIfAny(cached) - Math.max(read - input, 0), 0), input)
  return {
    uncachedInput: input - cacheRead,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(tokenCountIfAny(tokens?.reasoning_tokens), output),
  }
}
