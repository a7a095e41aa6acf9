import type { JsonObject } from '../../../../core/index.ts'
import type { Decided } from '../../../../core/kit.ts'

/** The usage as the public API has it, with the cost. Other members of the vendor's usage stay. */
export function publicUsage({ usage, billed, costUsd }: Decided): JsonObject {
  const { input_tokens: input, output_tokens: output, input_tokens_details: read, output_tokens_details: written, ...more } = usage
  const { cacheRead, cacheWrite5m, cacheWrite1h, reasoning } = billed
  return {
    ...more,
    input_tokens: input,
    input_tokens_details: { cache_write_tokens: cacheWrite5m + cacheWrite1h, cached_tokens: cacheRead, ...read },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning, ...written },
    total_tokens: input + output,
    cost_usd: costUsd,
  }
}
