import type { KeyLimit } from '../contracts/key-store.ts'
import type { TokenWindow } from '../contracts/rate-limiter.ts'

/** The window of a key's limit, as the limiter knows it. A changed limit keeps what its window has counted. */
export function windowOf(keyId: string, { tokens, requests, windowMs }: KeyLimit): TokenWindow {
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
