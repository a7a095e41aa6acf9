import type { Hold } from './hold.ts'
import type { Maybe } from './json.ts'
import type { ApiKey } from './key-store.ts'
import { token } from '../token.ts'

/** Counts what keys spend. Asked only for keys that have a spend cap. */
export interface Ledger {
  /** Sets `usd` aside; undefined means that the cap would be passed, which is a 402. */
  reserve(key: ApiKey, usd: number): Maybe<Hold | undefined>
}
export const Ledger = token<Ledger>('ledger')
