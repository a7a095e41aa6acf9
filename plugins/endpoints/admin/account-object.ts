import type { JsonObject } from '../../../core/index.ts'
import { accountFieldsAt, spendAccountOf, type Account } from '../../../core/stores.ts'
import { byLevel } from './account-change.ts'
import { lockMakers, withoutMakers } from './operator-locks.ts'
import { shownBy } from './shown-object.ts'
import type { Stores } from './stores.ts'

const shownAt = byLevel(level => shownBy(accountFieldsAt(level), { policy: withoutMakers }))

/** Accounts as the API shows them. */
export async function accountObjects({ ledger }: Stores, accounts: readonly Account[]): Promise<readonly JsonObject[]> {
  const spent = await ledger.spent(accounts.map(account => ({ account: spendAccountOf(account), period: account.spendPeriod })))
  return await Promise.all(
    accounts.map(async (account, index) => {
      const policySetBy = lockMakers(account.policy)
      const spentUsd = account.spendCapUsd === undefined ? undefined : spent[index]!
      const creditBalanceUsd = account.hasCredit ? await ledger.balance(account.id) : undefined
      return { ...shownAt[account.level]({ ...account, policySetBy, spentUsd, creditBalanceUsd }) }
    }),
  )
}
