import type { ApiKey, Hold, Ledger } from '../../../core/index.ts'

/** What a key has spent and set aside, in whole nano-dollars: sums of fractions would drift. */
interface Account {
  spent: number
  reserved: number
}

export class MemoryLedger implements Ledger {
  readonly #accounts = new Map<string, Account>()

  reserve(key: ApiKey, usd: number): Hold | undefined {
    const cap = key.spendCapUsd === undefined ? Infinity : nanoDollars(key.spendCapUsd)
    const account = this.#accounts.get(key.id) ?? { spent: 0, reserved: 0 }
    const amount = nanoDollars(usd)
    if (account.spent + account.reserved + amount > cap) return undefined
    this.#accounts.set(key.id, account)
    return hold(account, cap, amount)
  }
}

function hold(account: Account, cap: number, amount: number): Hold {
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
    extend(moreUsd) {
      const more = nanoDollars(moreUsd)
      if (ended || account.spent + account.reserved + more > cap) return false
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
