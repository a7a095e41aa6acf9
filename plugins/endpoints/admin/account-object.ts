import type { JsonObject } from '../../../core/index.ts'
import { accountFieldsAt, spendAccountOf, type Account } from '../../../core/stores.ts'
import { byLevel } from './account-change.ts'
import { capStandings } from './cap-standing.ts'
import { lockMakers, withoutMakers } from './operator-locks.ts'
import { shownBy } from './shown-object.ts'
import type { Stores } from './stores.ts'

const shownAt = byLevel(level => shownBy(accountFieldsAt(level), { policy: withoutMakers }))

/** Accounts as the API shows them. */
export async function accountObjects({ ledger }: Stores, accounts: readonly Account[]): Promise<readonly JsonObject[]> {
  const standings = await capStandings(
    ledger,
    accounts.map(account => ({ ...account, account: spendAccountOf(account) })),
  )
  return await Promise.all(
    accounts.map(async (account, index) => {
      const policySetBy = lockMakers(account.policy)
      const creditBalanceUsd = account.hasCredit ? await ledger.balance(account.id) : undefined
      const creditHeldUsd = account.hasCredit ? await ledger.heldCredit?.(account.id) : undefined
      return { ...shownAt[account.level]({ ...account, policySetBy, ...standings[index]!, creditBalanceUsd, creditHeldUsd }) }
    }),
  )
}
