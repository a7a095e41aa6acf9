import type { Hold } from './hold.ts'
import type { Maybe } from '../runtime/pending.ts'
import { contract } from '../foundation/token.ts'

/** A budget of tokens or requests that refills every window. */
export interface TokenWindow {
  /** Such as `key:<id>:tokens:<windowMs>`, or `decisions:<vendor>` for requests to a vendor. Equal names share one budget. */
  readonly bucket: string
  /** The number of tokens or requests in the budget. */
  readonly tokens: number
  /** The length of the window in milliseconds. */
  readonly windowMs: number
  /** True: while processes cannot count together, refuse the request with 503. Otherwise each then goes by its share of the budget. */
  readonly exact?: boolean | undefined
}

/** How a window stands. */
export interface WindowState {
  /** Tokens or requests that are neither used nor held: 0 or more. */
  readonly left: number
  /** When all of it is there again, in milliseconds since the epoch. Undefined if nothing was counted yet, so that it has not begun. */
  readonly refillsAt: number | undefined
}

/** Tokens that are reserved in windows of a rate limit. */
export interface WindowHold extends Hold {
  /** How the windows stand with this hold, in the order in which they were passed. Without it, replies have no headers about them. */
  readonly states?: readonly WindowState[] | undefined
}

/** Why nothing was reserved. */
export interface FullWindow {
  /** See `WindowHold`. */
  readonly states?: readonly WindowState[] | undefined
  /** Of the windows without room, the one with the longest wait. */
  readonly full: TokenWindow
  /** How long until it refills. Undefined if even a whole window is too small: that counts as the longest wait. */
  readonly retryAfterMs: number | undefined
}

/** All that a request takes when it begins. */
export interface Admission {
  /** A place among the requests in progress. */
  readonly place:
    | {
        /** Such as `key:<id>`. Equal names share a limit. */
        readonly bucket: string
        /** The most requests in progress. */
        readonly limit: number
      }
    | undefined
  /** Windows of requests: one is counted in each, for good. */
  readonly requests: readonly TokenWindow[]
  /** Windows of tokens, and what the request is likely to need. At least one, or undefined. */
  readonly tokens:
    | {
        /** The windows to take from. */
        readonly windows: readonly TokenWindow[]
        /** The tokens to take from each. */
        readonly likely: number
      }
    | undefined
}

/** A request that was let in. */
export interface Admitted {
  /** Gives the place back. */
  leave(): void
  /** How `requests` stand now, in their order. */
  readonly states?: readonly WindowState[] | undefined
  /** Undefined if the likely tokens do not fit. Core then asks `reserve` as soon as it knows how many are needed. */
  readonly tokens?: EarlyHold | undefined
}

/** Tokens that were held before it was known how many are needed. Core calls one of its functions, once. */
export interface EarlyHold {
  /** Holds this many instead. Waits only for more. If they do not fit, nothing is held. */
  fit(tokens: number): Maybe<WindowHold | FullWindow>
  /** Gives the tokens back. */
  release(): void
}

/** Why a request was not admitted. It counts in no window then. */
export type NotAdmitted = FullWindow | 'no-place'

/**
 * Tracks windows, and requests in progress. Called only for keys and vendors that have limits. A store that survives a restart must keep
 * windows of an hour or more. No function has a time limit. A throw or a malformed answer of `reserve`, `enter` or `admit` refuses the request
 * with 503. `group`: whose buckets these are, such as an organization. A bucket always comes with the same one, so that a limiter of many
 * processes can keep what belongs together in one place.
 */
export interface RateLimiter {
  /**
   * Reserves the amount in every window, or in none: then the request fails with 429. `windows` has at least one, each with another bucket, in
   * any order. The hold is one for all of them, and so are its `extend`, `settle` and `release`. Calls at the same time may have windows in
   * common, in different orders: never let one wait for another, and never let others, here or in another process, see a hold in only some
   * of its windows. `rateLimiterSuite` of `turnpike/testing` checks an implementation.
   */
  reserve(windows: readonly TokenWindow[], tokens: number, group?: string): Maybe<WindowHold | FullWindow>
  /** Counts one request in progress, until the returned function is called. Undefined if `limit` of the bucket are in progress already. */
  enter(bucket: string, limit: number, group?: string): Maybe<(() => void) | undefined>
  /** How these windows stand, in their order. Begins and counts nothing. Called when a caller asks what is left. */
  states?(windows: readonly TokenWindow[], group?: string): Maybe<readonly WindowState[]>
  /** Takes all of it at one time, or nothing. For limiters that a request has to wait for: without it, core calls `enter` and `reserve`. */
  admit?(admission: Admission, group?: string): Maybe<Admitted | NotAdmitted>
}
export const RateLimiter = contract<RateLimiter>('rate-limiter', { version: 1, stability: 'stable' })
