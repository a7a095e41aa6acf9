import type { Maybe } from '../foundation/json.ts'
import type { ApiKey } from './key-store.ts'
import { token } from '../foundation/token.ts'

/** US dollars to reserve: as much of `atMost` as the cap allows, but at least `atLeast`. */
export interface CreditRange {
  readonly atLeast: number
  readonly atMost: number
}

/** Credit reserved for one request. Core ends it with either `settle` or `release`. */
export interface CreditHold {
  /** US dollars reserved so far. */
  readonly usd: number
  /** Reserves more, for another round or attempt of the same request. False if less than `atLeast` is left; then nothing changes. */
  extend(more: CreditRange): Maybe<boolean>
  /** Replaces the reserved amount with the amount spent, even if that is more. */
  settle(actualUsd: number): Maybe<void>
  release(): Maybe<void>
}

/** Tracks what keys spend. Called only for keys with a spend cap. */
export interface Ledger {
  /** Reserved and spent amounts together must never exceed the cap. Undefined if less than `atLeast` is left: the request fails with 402. */
  reserve(key: ApiKey, range: CreditRange): Maybe<CreditHold | undefined>
}
export const Ledger = token<Ledger>('ledger')
