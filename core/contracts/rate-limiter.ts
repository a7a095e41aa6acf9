import type { Hold } from './hold.ts'
import type { Maybe } from '../runtime/pending.ts'
import { token } from '../foundation/token.ts'

/** A budget of tokens or requests that refills every window. */
export interface TokenWindow {
  /** Such as `key:<id>:tokens:<windowMs>`, or `decisions:<vendor>` for requests to a vendor. Equal names share one budget. */
  readonly bucket: string
  /** How many tokens or requests the budget has. */
  readonly tokens: number
  readonly windowMs: number
}

/**
 * Tracks windows, and requests in progress. Called only for keys and vendors that have limits. A store that survives a restart must keep
 * windows of an hour or more. No function has a time limit. A throw or a malformed answer of `reserve` or `enter` refuses the request with 503.
 */
export interface RateLimiter {
  /** Reserves tokens, or says how long to wait: then the request fails with 429. `retryAfterMs` is undefined if even a whole window is too small. */
  reserve(window: TokenWindow, tokens: number): Maybe<Hold | { readonly retryAfterMs: number | undefined }>
  /** Counts one request in progress, until the returned function is called. Undefined if `limit` of the bucket are in progress already. */
  enter(bucket: string, limit: number): Maybe<(() => void) | undefined>
}
export const RateLimiter = token<RateLimiter>('rate-limiter')
