import { maxCreditUsd, type CreditRange, type CreditShortage, type SpendCap } from '../../../../core/stores.ts'
import type { HoldRow, LedgerChange } from './batches.ts'
import type { Locked, LockedSums, SumName } from './sums.ts'
import type { CreditEntryTable } from '../tables.ts'

// Everything that can happen to the ledger. Amounts are whole nano-dollars.

const maxCredit = maxCreditUsd * 1e9

/** The sums that a request counts against. */
export interface Limits {
  readonly counted: readonly { readonly cap: SpendCap; readonly name: SumName }[]
  readonly creditOf: string | undefined
}

/** A range in nano-dollars. */
export interface Amounts {
  readonly least: number
  readonly most: number
}

/** The amount of a hold, and the most it could reach if no other request held anything. In nano-dollars. */
export interface Held {
  readonly amount: number
  readonly reachable: number
}

export function reserve(id: string, process: string, limits: Limits, amounts: Amounts): LedgerChange<Held | CreditShortage> {
  const { counted, creditOf } = limits
  const names = counted.map(({ name }) => name)
  return {
    names,
    orgs: creditOf === undefined ? [] : [creditOf],
    hold: id,
    apply(sums) {
      const amount = available(limits, sums, amounts)
      if (typeof amount !== 'number') return { result: amount }
      const hold: HoldRow = { id, process, amount, sums: names, credit_org: creditOf ?? null, expired_at: null }
      setAside(sums, hold, amount)
      return { result: { amount, reachable: reachable(limits, sums) }, hold }
    },
  }
}

export function extend(id: string, limits: Limits, amounts: Amounts): LedgerChange<Held | CreditShortage> {
  return {
    hold: id,
    apply(sums, hold) {
      // Settled or expired: nothing can be added to it.
      if (hold?.expired_at !== null) return { result: { short: limits.counted[0]?.cap ?? 'credit', leftUsd: 0, heldUsd: 0 } }
      const more = available(limits, sums, amounts)
      if (typeof more !== 'number') return { result: more }
      setAside(sums, hold, more)
      const amount = hold.amount + more
      return { result: { amount, reachable: reachable(limits, sums) }, hold: { ...hold, amount } }
    },
  }
}

/** Does nothing if there is no such hold, so it may run again. */
export function settle(requestId: string, id: string, spent: number, at: number): LedgerChange<void> {
  return {
    hold: id,
    apply(sums, hold) {
      if (!hold) return { result: undefined }
      giveBack(sums, hold)
      for (const name of hold.sums) change(sums.sum(name), sum => (sum.spent += spent))
      const { credit_org: org } = hold
      if (org !== null && spent > 0) {
        change(sums.credit(org), credit => (credit.spent += spent))
        sums.note({ id, org, at, amount: -spent, note: null, request_id: requestId })
      }
      return { result: undefined, hold: 'delete' }
    },
  }
}

/** Does nothing if there is no such hold, so it may run again. */
export function release(id: string): LedgerChange<void> {
  return {
    hold: id,
    apply(sums, hold) {
      if (hold) giveBack(sums, hold)
      return { result: undefined, hold: hold && 'delete' }
    },
  }
}

/** Releases the hold of a dead process. The row stays for a while, in case the process was only slow. */
export function expire(id: string, at: number): LedgerChange<void> {
  return {
    hold: id,
    apply(sums, hold) {
      if (hold) giveBack(sums, hold)
      return { result: undefined, hold: hold && { ...hold, expired_at: hold.expired_at ?? at } }
    },
  }
}

export function raiseSpent(name: SumName, least: number): LedgerChange<void> {
  return {
    names: [name],
    apply(sums) {
      change(sums.sum(name), sum => (sum.spent = Math.max(sum.spent, least)))
      return { result: undefined }
    },
  }
}

/** The result is the balance, or undefined if it would be out of bounds. Does nothing if there is an entry with this id. */
export function addCredit(entry: CreditEntryTable): LedgerChange<number | undefined> {
  return {
    orgs: [entry.org],
    entry: entry.id,
    apply(sums) {
      const credit = sums.credit(entry.org)
      if (sums.has(entry)) return { result: -credit.spent }
      const balance = entry.amount - credit.spent
      if (entry.amount < 0 ? balance < 0 : balance > maxCredit) return { result: undefined }
      sums.note(entry)
      change(credit, () => (credit.spent = -balance))
      return { result: balance }
    },
  }
}

/** The available amount, or the first limit with less than `atLeast` left. */
function available({ counted, creditOf }: Limits, sums: LockedSums, { least, most }: Amounts): number | CreditShortage {
  let amount = most
  for (const { cap, name } of counted) {
    const { spent, reserved } = sums.sum(name)
    const left = Math.round(cap.capUsd * 1e9) - spent - reserved
    if (left < least) return { short: cap, leftUsd: left / 1e9, heldUsd: reserved / 1e9 }
    amount = Math.min(amount, left)
  }
  if (creditOf !== undefined) {
    const { spent, reserved } = sums.credit(creditOf)
    if (-spent - reserved < least) return { short: 'credit', leftUsd: (-spent - reserved) / 1e9, heldUsd: reserved / 1e9 }
    amount = Math.min(amount, -spent - reserved)
  }
  return Math.max(least, amount)
}

/** The most that one request could hold if no other held anything. */
function reachable({ counted, creditOf }: Limits, sums: LockedSums): number {
  const caps = counted.map(({ cap, name }) => Math.round(cap.capUsd * 1e9) - sums.sum(name).spent)
  return Math.min(...caps, creditOf === undefined ? Infinity : -sums.credit(creditOf).spent)
}

/** An expired hold no longer reserves anything. */
function giveBack(sums: LockedSums, hold: HoldRow): void {
  if (hold.expired_at === null) setAside(sums, hold, -hold.amount)
}

function setAside(sums: LockedSums, { sums: names, credit_org: org }: HoldRow, amount: number): void {
  for (const name of names) change(sums.sum(name), sum => (sum.reserved += amount))
  if (org !== null) change(sums.credit(org), credit => (credit.reserved += amount))
}

function change(locked: Locked, apply: (locked: Locked) => void): void {
  apply(locked)
  locked.changed = true
}

/** Throws if a value is not a valid amount of money, before it can affect other changes. */
export function amountsOf({ atLeast, atMost }: CreditRange): Amounts {
  return { least: nanoDollars(atLeast), most: nanoDollars(atMost) }
}

/** Whole, because sums of fractions would drift. */
export function nanoDollars(usd: number): number {
  if (!(usd >= 0)) throw new RangeError(`expected an amount in US dollars of 0 or more, got ${usd}`)
  return signedNanoDollars(usd)
}

export function signedNanoDollars(usd: number): number {
  const nano = Math.round(usd * 1e9)
  if (!Number.isSafeInteger(nano)) throw new RangeError(`expected an amount in US dollars up to 9 million, got ${usd}`)
  return nano
}
