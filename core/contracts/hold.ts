import type { Maybe } from '../runtime/pending.ts'

/** An amount reserved before the actual amount is known. Core ends it with either `settle` or `release`. */
export interface Hold {
  /** Reserves more, for another round of the same request. False if there is not enough left. */
  extend(more: number): Maybe<boolean>
  /** Replaces the amount held by the actual one. */
  settle(actual: number): Maybe<void>
  /** Gives all of it back. */
  release(): Maybe<void>
}
