import type { JsonObject, TokenUsage } from '../../../core/index.ts'

/** docs/protocol/gemini.md#usage. `vendors`: what the vendor's own usage has besides. */
export function publicUsage(usage: TokenUsage, costUsd: number | null, vendors: JsonObject = {}): JsonObject {
  const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage
  const prompt = uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h
  return {
    ...vendors,
    promptTokenCount: prompt,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    candidatesTokenCount: Math.max(0, output - reasoning),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    totalTokenCount: prompt + output,
    costUsd,
  }
}
