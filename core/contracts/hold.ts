import type { Maybe } from '../runtime/pending.ts'

/** An amount reserved before the actual amount is known. Core ends it with either `settle` or `release`. */
export interface Hold {
  /** Reserves more, for another round of the same request. False if there is not enough left. */
  extend(more: number): Maybe<boolean>
  settle(actual: number): Maybe<void>
  release(): Maybe<void>
}
