import type { Maybe } from '../foundation/json.ts'

/** An amount set aside before its true size is known. Exactly one of `settle` and `release` ends it. */
export interface Hold {
  /** Takes more, for another round of the same request; false when there is not enough. */
  extend(more: number): Maybe<boolean>
  settle(actual: number): Maybe<void>
  release(): Maybe<void>
}
