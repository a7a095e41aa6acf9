import { isObject, type JsonObject, type TokenUsage } from '../../../core/index.ts'

/** docs/protocol/chat.md#usage. `vendors`: the usage of a vendor that reported once, in its own words. */
export function publicUsage(usage: TokenUsage, costUsd: number | null, vendors: JsonObject | undefined): JsonObject {
  const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage
  const written = cacheWrite5m + cacheWrite1h
  const prompt = uncachedInput + cacheRead + written
  const counted = {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, ...(written > 0 && { cache_write_tokens: written }) },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
  return { ...counted, ...(vendors && countsOf(vendors)), cost_usd: costUsd }
}

/** Strictly typed clients expect counts. */
function countsOf(members: JsonObject): JsonObject {
  const counts: Record<string, unknown> = {}
  for (const name in members) {
    const value = members[name]
    if (value === null || (name.endsWith('_tokens') && !isCount(value))) continue
    counts[name] = isObject(value) ? countsOf(value) : value
  }
  return counts
}

function isCount(value: unknown): boolean {
  return isObject(value) || (Number.isSafeInteger(value) && (value as number) >= 0)
}
