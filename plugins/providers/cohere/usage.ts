import type { TokenUsage } from '../../../core/index.ts'
import type { WireUsage } from './wire-reply.ts'

/**
 * What is billed. The vendor's `tokens` count its own preamble and the marks of citations too, which cost nothing; `cached_tokens` are the
 * first of those. Undefined where it told none, as it does of failures.
 */
export function usageOf({ billed_units: billed, tokens, cached_tokens: cached }: WireUsage): TokenUsage | undefined {
  const input = billed?.input_tokens ?? tokens?.input_tokens
  const output = billed?.output_tokens ?? tokens?.output_tokens
  if (input === undefined || output === undefined) return undefined
  const read = (tokens?.input_tokens ?? input) + (tokens?.image_tokens ?? 0)
  const cacheRead = Math.min(Math.max((cached ?? 0) - Math.max(read - input, 0), 0), input)
  return {
    uncachedInput: input - cacheRead,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(tokens?.reasoning_tokens ?? 0, output),
  }
}
