import type { Hold } from './hold.ts'
import type { Maybe } from '../foundation/json.ts'
import { token } from '../foundation/token.ts'

/** A budget of tokens, or of requests, that fills up again every window. */
export interface TokenWindow {
  /** Such as `key:<id>`, or `decisions:<vendor>` for the requests to a vendor; equal names share one budget. */
  readonly bucket: string
  readonly tokens: number
  readonly windowMs: number
}

/** Keeps windows. Asked only for keys and vendors that have one. */
export interface RateLimiter {
  /** Sets tokens aside, or says how long to wait, which is a 429. More than the whole window is refused with no wait (`retryAfterMs` undefined). */
  reserve(window: TokenWindow, tokens: number): Maybe<Hold | { readonly retryAfterMs: number | undefined }>
}
export const RateLimiter = token<RateLimiter>('rate-limiter')
