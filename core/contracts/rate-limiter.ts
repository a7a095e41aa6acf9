import type { Hold } from './hold.ts'
import type { Maybe } from '../foundation/json.ts'
import { token } from '../foundation/token.ts'

/** A budget of tokens or requests that refills every window. */
export interface TokenWindow {
  /** Such as `key:<id>`, or `decisions:<vendor>` for requests to a vendor. Equal names share one budget. */
  readonly bucket: string
  readonly tokens: number
  readonly windowMs: number
}

/** Tracks token windows. Called only for keys and vendors that have one. */
export interface RateLimiter {
  /** Reserves tokens, or says how long to wait: then the request fails with 429. `retryAfterMs` is undefined if even a whole window is too small. */
  reserve(window: TokenWindow, tokens: number): Maybe<Hold | { readonly retryAfterMs: number | undefined }>
}
export const RateLimiter = token<RateLimiter>('rate-limiter')
