import type { Clock } from '../../../core/index.ts'
import {
  periodStart,
  type CreditEntry,
  type CreditHold,
  type CreditRange,
  type CreditShortage,
  type Ledger,
  type PageQuery,
  type SpendCap,
  type Spending,
} from '../../../core/stores.ts'
import { Credit } from './credit.ts'
import { nanoDollars } from './nano-dollars.ts'

/** An account's spending and reservations in one period, in whole nano-dollars, because sums of fractions would drift. */
interface Sum {
  readonly periodStart: number
  spent: number
  reserved: number
}

/** One sum or credit that a request counts against, and the most that it may reach. */
interface Limited {
  readonly sum: { spent: number; reserved: number }
  readonly most: number
  readonly short: CreditShortage['short']
}

export class MemoryLedger implements Ledger {
  readonly #clock: Clock
  readonly #sums = new Map<string, Sum>()
  readonly #credits = new Map<string, Credit>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  reserve(requestId: string, { caps, creditOf }: Spending, range: CreditRange): CreditHold | CreditShortage {
    const now = this.#clock.now()
    const limits: Limited[] = caps.map(cap => ({ sum: this.#sum(cap, now), most: nanoDollars(cap.capUsd), short: cap }))
    const credit = creditOf === undefined ? undefined : this.#credit(creditOf)
    if (credit) limits.push({ sum: credit.spending, most: 0, short: 'credit' })
    const amount = available(limits, range)
    return typeof amount === 'number' ? hold(limits, amount, usd => credit?.spend(requestId, this.#clock.now(), usd)) : amount
  }

  spent(caps: readonly Pick<SpendCap, 'account' | 'period'>[]): readonly number[] {
    return this.#amounts(caps, 'spent')
  }

  held(caps: readonly Pick<SpendCap, 'account' | 'period'>[]): readonly number[] {
    return this.#amounts(caps, 'reserved')
  }

  heldCredit(org: string): number {
    return (this.#credits.get(org)?.spending.reserved ?? 0) / 1e9
  }

  raiseSpent(cap: Pick<SpendCap, 'account' | 'period'>, usd: number): void {
    const sum = this.#sum(cap, this.#clock.now())
    sum.spent = Math.max(sum.spent, nanoDollars(usd))
  }

  addCredit(entry: CreditEntry): number | undefined {
    return this.#credit(entry.org).add(entry)
  }

  balance(org: string): number {
    return this.#credits.get(org)?.balanceUsd ?? 0
  }

  entries(org: string, query: PageQuery): readonly CreditEntry[] {
    return this.#credits.get(org)?.page(query) ?? []
  }

  #amounts(caps: readonly Pick<SpendCap, 'account' | 'period'>[], amount: 'spent' | 'reserved'): readonly number[] {
    const now = this.#clock.now()
    return caps.map(({ account, period }) => {
      const sum = this.#sums.get(sumName(account, period))
      return sum && sum.periodStart === periodStart(period, now) ? sum[amount] / 1e9 : 0
    })
  }

  #credit(org: string): Credit {
    let credit = this.#credits.get(org)
    if (!credit) this.#credits.set(org, (credit = new Credit(org)))
    return credit
  }

  /** A request of the last period keeps and settles the sum of that period. */
  #sum({ account, period }: Pick<SpendCap, 'account' | 'period'>, now: number): Sum {
    const start = periodStart(period, now)
    const name = sumName(account, period)
    const known = this.#sums.get(name)
    if (known && known.periodStart === start) return known
    const sum = { periodStart: start, spent: 0, reserved: 0 }
    this.#sums.set(name, sum)
    return sum
  }
}

/** A cap whose period was changed starts again at 0. */
function sumName(account: string, period: SpendCap['period']): string {
  return `${period ?? ''}:${account}`
}

/** In nano-dollars, or the first limit of which less than `atLeast` is left. */
function available(limits: readonly Limited[], { atLeast, atMost }: CreditRange): number | CreditShortage {
  const least = nanoDollars(atLeast)
  let amount = nanoDollars(atMost)
  for (const { sum, most, short } of limits) {
    const left = most - sum.spent - sum.reserved
    if (left < least) return { short, leftUsd: left / 1e9, heldUsd: sum.reserved / 1e9 }
    amount = Math.min(amount, left)
  }
  return Math.max(least, amount)
}

function hold(limits: readonly Limited[], amount: number, onSpent: (nanoUsd: number) => void): CreditHold {
  let held = 0
  let ended = false
  const take = (more: number): void => {
    held += more
    for (const { sum } of limits) sum.reserved += more
  }
  const end = (spent: number): void => {
    if (ended) return
    ended = true
    for (const { sum } of limits) {
      sum.reserved -= held
      sum.spent += spent
    }
    if (spent > 0) onSpent(spent)
  }
  take(amount)
  return {
    get usd() {
      return held / 1e9
    },
    get reachableUsd() {
      return Math.min(...limits.map(({ sum, most }) => most - sum.spent)) / 1e9
    },
    extend(range) {
      // A settled hold cannot grow.
      const more = ended ? { short: limits[0]!.short, leftUsd: 0, heldUsd: 0 } : available(limits, range)
      if (typeof more !== 'number') return more
      take(more)
      return true
    },
    settle: actualUsd => end(nanoDollars(actualUsd)),
    release: () => end(0),
  }
}
