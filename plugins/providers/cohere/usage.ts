import type { TokenUsage } from '../../../core/index.ts'
import type { WireUsage } from './wire-reply.ts'

/**
 * The billed tokens. The vendor's `tokens` also count its preamble and citation marks, which are free; `cached_tokens` starts with those.
 * Undefined if the vendor sent no counts, as after failures.
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
