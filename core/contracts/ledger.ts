import type { Maybe } from '../foundation/json.ts'
import type { ApiKey } from './key-store.ts'
import { token } from '../foundation/token.ts'

/** US dollars to set aside: as much of `atMost` as is left under the cap, and never less than `atLeast`. */
export interface CreditRange {
  readonly atLeast: number
  readonly atMost: number
}

/** Credit set aside for one request. Exactly one of `settle` and `release` ends it. */
export interface CreditHold {
  /** US dollars that are set aside now. */
  readonly usd: number
  /** Sets aside more, for another round or attempt of the same request. False: not even `atLeast` is left, and nothing has changed. */
  extend(more: CreditRange): Maybe<boolean>
  /** Replaces what was held by what was spent, even where that is more. */
  settle(actualUsd: number): Maybe<void>
  release(): Maybe<void>
}

/** Counts what keys spend. Asked only for keys that have a spend cap. */
export interface Ledger {
  /** What is held and what is spent never pass the cap together. Undefined: not even `atLeast` is left, which is a 402. */
  reserve(key: ApiKey, range: CreditRange): Maybe<CreditHold | undefined>
}
export const Ledger = token<Ledger>('ledger')
