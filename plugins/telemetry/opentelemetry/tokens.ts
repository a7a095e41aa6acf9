import type { TokenUsage } from '../../../core/index.ts'

/** All tokens of the input, those of caches included. */
export function inputOf({ uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage): number {
  return uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h
}
