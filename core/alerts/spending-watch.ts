import { spendingOf, type Accounts } from '../admission/accounts.ts'
import type { AlertClaim } from '../contracts/alert.ts'
import type { ApiKey, KeyStore } from '../contracts/key-store.ts'
import type { CreditShortage, Ledger, SpendCap } from '../contracts/ledger.ts'
import type { RecordStore } from '../contracts/record-store.ts'
import type { Caller } from '../contracts/run-context.ts'
import { periodEnd, periodStart } from '../limits/spend-period.ts'
import { recentValues } from '../runtime/recent-values.ts'
import type { Announcer } from './announcer.ts'
import type { FullCredits } from './full-credits.ts'
import { capAlert, creditAlert, type CapOwner } from './spent-alert.ts'
import { allKeys, usedKeys } from './used-keys.ts'

export interface SpendingParts {
  readonly announcer: Announcer
  readonly ledger: Ledger
  readonly keys: KeyStore
  readonly records: RecordStore
  readonly accounts: Accounts
  readonly credits: FullCredits
  /** The parts to tell of, in percent. */
  readonly percent: readonly number[]
  readonly now: () => number
}

/** A key whose requests changed what is spent, until it is looked at. */
interface Touched {
  readonly key: ApiKey
  /** The accounts that were in the way of a request; `credit`: its organization's credit. */
  readonly short: Set<string>
}

const dayMs = 24 * 60 * 60 * 1000
/** How long a cap without a period stays told. */
const alwaysMs = 10 * 365 * dayMs
/** The most keys that are remembered. Each is touched again with its next request. */
const maxTouched = 10_000
/** The most keys that are looked at together. */
const keysAtOnce = 200
/** A key that nobody used for so long was looked at before. */
const recentMs = dayMs
/** Remembered, so that the store is not asked again and again. */
const maxTold = 10_000

/** Tells when a part of a cap or a credit is spent. Requests only leave a mark; what is spent is read a moment later, for many of them. */
export class SpendingWatch {
  readonly #parts: SpendingParts
  readonly #percent: readonly number[]
  readonly #touched = new Map<string, Touched>()
  /** The names of what was told, by this process or another. */
  readonly #told = recentValues<string, true>(maxTold)

  constructor(parts: SpendingParts) {
    this.#parts = parts
    this.#percent = parts.percent.toSorted((a, b) => b - a)
  }

  /** Call when the spending of a caller has changed, or refused a request. */
  touch({ key }: Caller, short?: CreditShortage['short']): void {
    let touched = this.#touched.get(key.id)
    if (!touched) {
      if (this.#touched.size >= maxTouched) return
      this.#touched.set(key.id, (touched = { key, short: new Set() }))
    }
    if (short !== undefined) touched.short.add(short === 'credit' ? short : short.account)
  }

  /** Looks at what was touched since the last time. If it throws, that is looked at again. */
  async check(): Promise<void> {
    while (this.#touched.size > 0) {
      const some = [...this.#touched.values()].slice(0, keysAtOnce)
      for (const { key } of some) this.#touched.delete(key.id)
      try {
        await this.#look(await this.#current(some))
      } catch (error) {
        for (const touched of some) if (!this.#touched.has(touched.key.id)) this.#touched.set(touched.key.id, touched)
        throw error
      }
    }
  }

  /**
   * Looks at every key that was used lately. Call every few minutes, in one of the processes: one that was killed could not tell what its
   * last requests spent.
   */
  async catchUp(): Promise<void> {
    const { announcer, keys, records } = this.#parts
    const now = await announcer.store.now()
    for await (const used of usedKeys(keys, records, now - recentMs, now)) await this.#lookAtKeys(used)
  }

  /** Looks at all keys. Call after a start: if this gateway was killed, even the records of its last requests may be missing. */
  async checkAll(): Promise<void> {
    for await (const keys of allKeys(this.#parts.keys)) await this.#lookAtKeys(keys)
  }

  /** The caps are those of now: one may have been raised since the request began. */
  async #current(some: readonly Touched[]): Promise<readonly Touched[]> {
    const { keys } = this.#parts
    const current: Touched[] = []
    for (const { key, short } of some) current.push({ key: (await keys.find(key.id)) ?? key, short })
    return current
  }

  async #lookAtKeys(keys: readonly ApiKey[]): Promise<void> {
    await this.#look(keys.map(key => ({ key, short: new Set() })))
  }

  async #look(some: readonly Touched[]): Promise<void> {
    const { accounts } = this.#parts
    const caps = new Map<string, { readonly cap: SpendCap; readonly owner: CapOwner; isShort: boolean }>()
    const credits = new Map<string, boolean>()
    for (const { key, short } of some) {
      const spending = spendingOf(key, await accounts.above(key))
      for (const cap of spending?.caps ?? []) {
        const known = caps.get(cap.account) ?? { cap, owner: ownerOf(cap, key), isShort: false }
        known.isShort ||= short.has(cap.account)
        caps.set(cap.account, known)
      }
      if (spending?.creditOf !== undefined) credits.set(spending.creditOf, (credits.get(spending.creditOf) ?? false) || short.has('credit'))
    }
    const all = [...caps.values()]
    const now = this.#now
    const spent = all.length === 0 ? [] : await this.#parts.ledger.spent(all.map(({ cap }) => cap))
    for (const [index, { cap, owner, isShort }] of all.entries()) await this.#capSpent(cap, owner, spent[index]!, isShort, now)
    for (const [org, isShort] of credits) await this.#creditSpent(org, isShort)
  }

  async #capSpent(cap: SpendCap, owner: CapOwner, spentUsd: number, isShort: boolean, now: number): Promise<void> {
    const { account, capUsd, period } = cap
    const start = periodStart(period, now)
    // What is spent may be that of the next period already, which the next request shows.
    if (start !== periodStart(period, this.#now)) return
    const forMs = period ? periodEnd(period, now) - now + dayMs : alwaysMs
    const name = `cap/${account}/${period ?? ''}/${start}/${capUsd}`
    await this.#reached(spentUsd, capUsd, isShort, name, forMs, percent => capAlert(cap, owner, percent, spentUsd, now))
  }

  async #creditSpent(org: string, isShort: boolean): Promise<void> {
    const { fullUsd, balanceUsd, run } = await this.#parts.credits.of(org)
    const name = `credit/${encodeURIComponent(org)}/${run}`
    await this.#reached(fullUsd - balanceUsd, fullUsd, isShort, name, alwaysMs, percent => creditAlert(org, percent, balanceUsd, fullUsd))
  }

  /** Tells of the highest part that is spent, and never of lower ones after it. */
  async #reached(
    spentUsd: number,
    ofUsd: number,
    isShort: boolean,
    name: string,
    forMs: number,
    draft: (percent: number) => Parameters<Announcer['tell']>[0],
  ): Promise<void> {
    const share = spentPercent(spentUsd, ofUsd)
    const reached = this.#percent.findIndex((percent, index) => share >= percent || (isShort && this.#isNearlyFull(index, share)))
    if (reached < 0) return
    const claims = this.#percent.slice(reached).map((percent): AlertClaim => ({ name: `${name}/${percent}`, forMs }))
    if (this.#told.has(claims[0]!.name)) return
    await this.#parts.announcer.tell(draft(this.#percent[reached]!), claims)
    for (const claim of claims) this.#told.set(claim.name, true)
  }

  /** A request that does not fit into the rest of an almost empty cap says that it is used up: exact caps are never quite. */
  #isNearlyFull(index: number, share: number): boolean {
    return this.#percent[index]! === 100 && share >= (this.#percent[index + 1] ?? leastNearlyFull)
  }

  get #now(): number {
    return this.#parts.ledger.now?.() ?? this.#parts.now()
  }
}

/** If no part below 100% is told. */
const leastNearlyFull = 80

function spentPercent(spentUsd: number, ofUsd: number): number {
  if (ofUsd <= 0) return 100
  // Fractions of a dollar are not exact: 0.3 of 0.3 is all of it.
  return Math.round((spentUsd / ofUsd) * 1e8) / 1e6
}

function ownerOf({ level }: SpendCap, { id, name, org, team, user }: ApiKey): CapOwner {
  if (level === 'key') return { org, id, name }
  return { org, id: { org, team, user }[level] ?? org }
}
