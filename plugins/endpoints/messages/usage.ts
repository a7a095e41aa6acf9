import type { JsonObject, TokenUsage } from '../../../core/index.ts'

/** docs/protocol/messages.md#usage. `vendors`: what the vendor's own usage has besides. */
export function publicUsage(usage: TokenUsage, costUsd: number | null, vendors: JsonObject = {}): JsonObject {
  const { web_search: searches = 0, web_fetch: fetches = 0 } = usage.toolCalls ?? {}
  return {
    ...vendors,
    input_tokens: usage.uncachedInput,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite5m, ephemeral_1h_input_tokens: usage.cacheWrite1h },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    server_tool_use: searches + fetches > 0 ? { web_search_requests: searches, web_fetch_requests: fetches } : null,
    service_tier: vendors['service_tier'] ?? null,
    cost_usd: costUsd,
  }
}

/** The usage of a vendor that reported once, in its own words. */
export function vendorsUsage(vendors: JsonObject, costUsd: number | null): JsonObject {
  return { ...unsaid, ...vendors, cost_usd: costUsd }
}

const unsaid: JsonObject = { input_tokens: 0, cache_creation_input_tokens: null, cache_read_input_tokens: null, output_tokens: 0 }

/** Before the vendor has counted. */
export const noCounts = unsaid
