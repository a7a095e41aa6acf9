import type { Hold } from '../contracts/hold.ts'
import type { KeyLimit } from '../contracts/key-store.ts'
import type { RateLimiter, TokenWindow } from '../contracts/rate-limiter.ts'

/** A limit that leaves no room. `retryAfterMs` is undefined if even a whole window is too small. */
export interface FullLimit {
  readonly limit: KeyLimit
  readonly retryAfterMs: number | undefined
}

/** Reserves in the windows of all these limits, or in none. `limits` has at least one. */
export async function reserveIn(
  limiter: RateLimiter,
  keyId: string,
  limits: readonly KeyLimit[],
  amount: number,
): Promise<Hold | FullLimit> {
  const windows = new Map<string, { readonly window: TokenWindow; readonly limit: KeyLimit }>()
  for (const limit of limits) {
    const window = windowOf(keyId, limit)
    const same = windows.get(window.bucket)
    // Of two limits with the same unit and window, the smaller one applies.
    if (!same || window.tokens < same.window.tokens) windows.set(window.bucket, { window, limit })
  }
  const reserved = await limiter.reserve(
    Array.from(windows.values(), ({ window }) => window),
    amount,
  )
  if (!('retryAfterMs' in reserved)) return reserved
  return { limit: windows.get(reserved.full.bucket)?.limit ?? limits[0]!, retryAfterMs: reserved.retryAfterMs }
}

/** The window of a key's limit, as the limiter knows it. A changed limit keeps what its window has counted. */
function windowOf(keyId: string, { tokens, requests, windowMs }: KeyLimit): TokenWindow {
  const unit = tokens === undefined ? 'requests' : 'tokens'
  return { bucket: `key:${keyId}:${unit}:${windowMs}`, tokens: tokens ?? requests, windowMs }
}

/** Such as `1000 tokens per minute` or `5 requests per 90 seconds`. */
export function windowText({ tokens, requests, windowMs }: KeyLimit): string {
  const amount = tokens ?? requests
  const unit = tokens === undefined ? 'request' : 'token'
  return `${amount} ${unit}${amount === 1 ? '' : 's'} per ${lengthText(windowMs)}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

function lengthText(windowMs: number): string {
  for (const [unit, unitMs] of units) {
    if (windowMs === unitMs) return unit
    if (windowMs % unitMs === 0) return `${windowMs / unitMs} ${unit}s`
  }
  return windowMs === 1_000 ? 'second' : `${windowMs / 1_000} seconds`
}
