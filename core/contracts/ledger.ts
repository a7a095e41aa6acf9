import type { Maybe } from '../runtime/pending.ts'
import type { SpendPeriod } from './key-store.ts'
import type { PageQuery } from './page.ts'
import type { Level } from './policy.ts'
import { contract } from '../foundation/token.ts'

/** US dollars to reserve: as much of `atMost` as is left, but at least `atLeast`. */
export interface CreditRange {
  /** US dollars. If less is left, nothing is held. */
  readonly atLeast: number
  /** US dollars to hold if there is as much. */
  readonly atMost: number
}

/** The most that one account may spend in each period. */
export interface SpendCap {
  /** The account: `key:<id>`, `user:<org>/<id>`, `team:<org>/<id>` or `org:<id>`, with ids percent-encoded. Equal names share one sum. */
  readonly account: string
  /** The level of the account. */
  readonly level: Level
  /** US dollars in each period. */
  readonly capUsd: number
  /** Absent for all time. */
  readonly period?: SpendPeriod | undefined
}

/** Everything that the cost of a request counts against. */
export interface Spending {
  /** From the key up. */
  readonly caps: readonly SpendCap[]
  /** The organization whose credit pays, if any. */
  readonly creditOf?: string | undefined
}

/** Credit reserved for one request. Core ends it with either `settle` or `release`. */
export interface CreditHold {
  /** US dollars reserved so far. */
  readonly usd: number
  /** US dollars that it could reach if no other request held anything, when the store last looked. */
  readonly reachableUsd: number
  /** Reserves more, for the same request. A shortage, and nothing changes, if less than `atLeast` is left. */
  extend(more: CreditRange): Maybe<true | CreditShortage>
  /** Replaces the reserved amount with the amount spent, even if that is more. Resolves when it is durable, if the store is. */
  settle(actualUsd: number): Maybe<void>
  /** Gives back all that is held. */
  release(): Maybe<void>
  /**
   * False while the store may soon give the amount to other requests, because this process could not tell it for too long that it lives.
   * Asked before each piece of a streamed answer, so it never waits. Absent: always true.
   */
  readonly isSure?: boolean
  /** Finds out whether the amount is still reserved, within seconds. If not, or if nobody knows, the answer ends. Absent: always true. */
  confirm?(): Maybe<boolean>
  /** Calls `end`, at most once, when the answer has to end because the amount is not sure and could not be confirmed. */
  onLost?(end: () => void): void
}

/** The reason why nothing was reserved: the first cap that leaves too little, or the organization's credit. */
export interface CreditShortage {
  /** The cap that is reached, or the credit that is used up. */
  readonly short: SpendCap | 'credit'
  /** US dollars that are neither spent nor held. Negative if more was spent than allowed. */
  readonly leftUsd: number
  /** US dollars that requests under way hold. */
  readonly heldUsd: number
}

/** The most credit that an organization can have. Stores count whole billionths of a dollar, exactly up to this. */
export const maxCreditUsd = 9_000_000

/** A change of an organization's credit. The balance is the sum of all entries. */
export interface CreditEntry {
  /** Unique. */
  readonly id: string
  /** The organization whose credit changes. */
  readonly org: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Positive for credit that was added, negative for credit that was spent. */
  readonly amountUsd: number
  /** Null for the cost of a request. */
  readonly note: string | null
  /** The request that spent it, else null. */
  readonly requestId: string | null
}

/**
 * Tracks what accounts spend, and the credit of organizations. `reserve` is called only for requests whose key or accounts have a cap or a
 * credit. No function has a time limit. `ledgerSuite` of `turnpike/testing` checks an implementation.
 */
export interface Ledger {
  /**
   * Reserves the same amount of every cap and of the credit, or nothing of any. Reserved and spent amounts together must never exceed a cap
   * or a balance. A period is the one in which the request was reserved: see `periodStart`. A shortage fails the request with 402. Throws if
   * an amount is not a number from 0.
   */
  reserve(requestId: string, spending: Spending, range: CreditRange): Maybe<CreditHold | CreditShortage>
  /** The spending in the current period of each cap, in the order of the caps: the amounts counted while there was a cap, or raised. */
  spent(caps: readonly Pick<SpendCap, 'account' | 'period'>[]): Maybe<readonly number[]>
  /** The amount of each cap that requests under way hold, in the current period. Absent: nobody can tell. */
  held?(caps: readonly Pick<SpendCap, 'account' | 'period'>[]): Maybe<readonly number[]>
  /** The amount of the organization's credit that requests under way hold. Absent: nobody can tell. */
  heldCredit?(org: string): Maybe<number>
  /** Raises the spending in the current period to at least this amount, for requests from before there was a cap. */
  raiseSpent(cap: Pick<SpendCap, 'account' | 'period'>, usd: number): Maybe<void>
  /**
   * Adds credit, or deducts a negative amount, and returns the balance. Undefined, and nothing changes, if a balance would rise above
   * `maxCreditUsd` or be taken below 0. `entry.id` makes it idempotent: a second entry with the same id changes nothing. Calls
   * that one process makes at once take effect in their order.
   */
  addCredit(entry: CreditEntry): Maybe<number | undefined>
  /** The time by which it tells periods, in milliseconds since the epoch. Absent: that of the gateway. */
  now?(): number
  /** The organization's balance, regardless of reservations. 0 before the first entry. */
  balance(org: string): Maybe<number>
  /** The newest first. */
  entries(org: string, query: PageQuery): Maybe<readonly CreditEntry[]>
}
export const Ledger = contract<Ledger>('ledger', { version: 1, stability: 'stable' })
