import type { TokenUsage } from '../../../core/index.ts'
import type { Usage } from './wire.ts'

/** Splits the vendors' totals into disjoint counts. `ran`: searches that the reply shows, which few totals count. */
export function usageOf(usage: Usage, ran = 0): TokenUsage {
  const prompt = usage.prompt_tokens ?? 0
  const completion = usage.completion_tokens ?? 0
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0
  const audio = usage.prompt_tokens_details?.audio_tokens ?? 0
  // The total includes what the parts leave out: reasoning tokens at xAI, prompt audio at Mistral.
  const missing = (usage.total_tokens ?? 0) - prompt - completion
  const input = missing > 0 && missing === audio ? prompt + audio : prompt
  const output = missing > 0 && missing === reasoning ? completion + reasoning : completion
  const cacheRead = Math.max(0, Math.min(cached(usage), input))
  const cacheWrite = Math.min(usage.prompt_tokens_details?.cache_write_tokens ?? usage.cache_creation_input_tokens ?? 0, input - cacheRead)
  const searches = usage.server_tool_use_details?.web_search_requests ?? usage.num_search_queries ?? ran
  return {
    uncachedInput: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(reasoning, output),
    ...(searches > 0 && { toolCalls: { web_search: searches } }),
  }
}

function cached(usage: Usage): number {
  return (
    usage.prompt_tokens_details?.cached_tokens ??
    usage.prompt_cache_hit_tokens ??
    usage.cached_tokens ??
    usage.num_cached_tokens ??
    usage.cache_read_input_tokens ??
    0
  )
}
