import type { ApiKey, CreditHold, CreditRange, Ledger } from '../../../core/index.ts'

/** What a key has spent and reserved, in whole nano-dollars, because sums of fractions would drift. */
interface Account {
  spent: number
  reserved: number
}

export class MemoryLedger implements Ledger {
  readonly #accounts = new Map<string, Account>()

  reserve(key: ApiKey, range: CreditRange): CreditHold | undefined {
    const cap = key.spendCapUsd === undefined ? Infinity : nanoDollars(key.spendCapUsd)
    const account = this.#accounts.get(key.id) ?? { spent: 0, reserved: 0 }
    const amount = available(account, cap, range)
    if (amount === undefined) return undefined
    this.#accounts.set(key.id, account)
    return hold(account, cap, amount)
  }
}

/** In nano-dollars. Undefined if less than `atLeast` is left. */
function available({ spent, reserved }: Account, cap: number, { atLeast, atMost }: CreditRange): number | undefined {
  const least = nanoDollars(atLeast)
  const most = nanoDollars(atMost)
  const left = cap - spent - reserved
  return left < least ? undefined : Math.max(least, Math.min(most, left))
}

function hold(account: Account, cap: number, amount: number): CreditHold {
  let held = amount
  let ended = false
  account.reserved += amount
  const end = (spent: number): void => {
    if (ended) return
    ended = true
    account.reserved -= held
    account.spent += spent
  }
  return {
    get usd() {
      return held / 1e9
    },
    extend(range) {
      const more = available(account, cap, range)
      if (ended || more === undefined) return false
      account.reserved += more
      held += more
      return true
    },
    settle: actualUsd => end(nanoDollars(actualUsd)),
    release: () => end(0),
  }
}

function nanoDollars(usd: number): number {
  if (!(usd >= 0)) throw new RangeError(`expected an amount in US dollars of 0 or more, got ${usd}`)
  return Math.round(usd * 1e9)
}
