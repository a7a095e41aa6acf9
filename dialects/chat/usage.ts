import type { TokenUsage } from '../../core/index.ts'
import { tokenCount, tokenCountIfAny } from '../../core/kit.ts'
import type { Usage } from './wire.ts'

/**
 * Splits the vendors' totals into disjoint counts. `hasSaid`: the reply has output, which must be counted. `ran`: searches that the reply
 * shows, which few totals count.
 */
export function usageOf(usage: Usage, hasSaid: boolean, ran = 0): TokenUsage {
  const prompt = tokenCount(usage.prompt_tokens)
  const completion = hasSaid ? tokenCount(usage.completion_tokens) : tokenCountIfAny(usage.completion_tokens)
  const reasoning = tokenCountIfAny(usage.completion_tokens_details?.reasoning_tokens)
  const audio = tokenCountIfAny(usage.prompt_tokens_details?.audio_tokens)
  // The total includes what the parts leave out: reasoning tokens at xAI, prompt audio at Mistral.
  const missing = tokenCountIfAny(usage.total_tokens) - prompt - completion
  const input = missing > 0 && missing === audio ? prompt + audio : prompt
  const output = missing > 0 && missing === reasoning ? completion + reasoning : completion
  const cacheRead = Math.min(tokenCountIfAny(cached(usage)), input)
  const written = usage.prompt_tokens_details?.cache_write_tokens ?? usage.cache_creation_input_tokens
  const cacheWrite = Math.min(tokenCountIfAny(written), input - cacheRead)
  const searches = tokenCountIfAny(usage.server_tool_use_details?.web_search_requests ?? usage.num_search_queries ?? ran)
  return {
    uncachedInput: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(reasoning, output),
    ...(searches !== 0 && { toolCalls: { web_search: searches } }),
  }
}

function cached(usage: Usage): unknown {
  return (
    usage.prompt_tokens_details?.cached_tokens ??
    usage.prompt_cache_hit_tokens ??
    usage.cached_tokens ??
    usage.num_cached_tokens ??
    usage.cache_read_input_tokens
  )
}
