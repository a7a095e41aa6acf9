import { contract } from '../foundation/token.ts'
import type { Maybe } from '../runtime/pending.ts'

/**
 * Stores which sessions of the dashboard somebody signed out of, so that no copy of their cookies works again: at no gateway that shares the
 * store, and after no restart. Ids are HMACs. `signOutsSuite` of `turnpike/testing` checks an implementation.
 */
export interface SignOuts {
  /** Every process that shares the store knows it for at least `forMs`, as soon as this has resolved. Also called with an id that is there. */
  add(id: string, forMs: number): Maybe<void>
  /** True if somebody signed out of the session. */
  has(id: string): Maybe<boolean>
}
export const SignOuts = contract<SignOuts>('sign-outs', { version: 1, stability: 'experimental' })
