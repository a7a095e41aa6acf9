import { AccountStore, type Account, type AccountRef } from '../contracts/account-store.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import type { SpendCap, Spending } from '../contracts/ledger.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { wire } from '../framework/container.ts'
import { spendAccountOf } from './spend-account.ts'

/** The accounts above a key. Undefined where the key names none, or none that exists. */
export interface KeyAccounts {
  readonly org: Account | undefined
  readonly team: Account | undefined
  readonly user: Account | undefined
}

/** Looks up the accounts above a key. */
export class Accounts {
  readonly #store: AccountStore

  static {
    wire(this, [AccountStore])
  }

  constructor(store: AccountStore) {
    this.#store = store
  }

  /** Synchronous if the store is. */
  above({ org, team, user }: ApiKey): Maybe<KeyAccounts> {
    const orgFound = this.#find({ level: 'org', org, id: org })
    const teamFound = team === undefined ? undefined : this.#find({ level: 'team', org, id: team })
    const userFound = user === undefined ? undefined : this.#find({ level: 'user', org, id: user })
    if (isPending(orgFound) || isPending(teamFound) || isPending(userFound))
      return Promise.all([orgFound, teamFound, userFound]).then(found => ({ org: found[0], team: found[1], user: found[2] }))
    return { org: orgFound, team: teamFound, user: userFound }
  }

  #find(ref: AccountRef): Maybe<Account | undefined> {
    const found = this.#store.find(ref)
    if (!isPending(found)) return found
    const finding = Promise.resolve(found)
    // If another look-up throws at once, nobody waits for this one.
    finding.catch(() => {})
    return finding
  }
}

/**
 * The caps and the credit that the cost of the key's requests counts against. Undefined if neither the key nor an account has a cap, and
 * the organization has no credit.
 */
export function spendingOf(key: ApiKey, { org, team, user }: KeyAccounts): Spending | undefined {
  const caps: SpendCap[] = []
  if (key.spendCapUsd !== undefined) caps.push({ account: `key:${key.id}`, level: 'key', capUsd: key.spendCapUsd, period: key.spendPeriod })
  for (const account of [user, team, org]) {
    if (account?.spendCapUsd === undefined) continue
    const { level, spendCapUsd: capUsd, spendPeriod: period } = account
    caps.push({ account: spendAccountOf(account), level, capUsd, period })
  }
  const creditOf = org?.hasCredit ? org.id : undefined
  return caps.length === 0 && creditOf === undefined ? undefined : { caps, creditOf }
}

/** For gateways without accounts. */
export const noAccounts: AccountStore = {
  persistent: false,
  find: () => undefined,
  named: () => [],
  page: () => [],
  add: () => false,
  update: () => false,
  remove: () => 'unknown',
}
