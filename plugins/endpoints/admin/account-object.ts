import type { JsonObject } from '../../../core/index.ts'
import { spendAccountOf, type Account } from '../../../core/stores.ts'
import { lockMakers, withoutMakers } from './operator-locks.ts'
import { time } from './replies.ts'
import type { Stores } from './stores.ts'

/** Accounts as the API shows them. */
export async function accountObjects({ ledger }: Stores, accounts: readonly Account[]): Promise<readonly JsonObject[]> {
  const spent = await ledger.spent(accounts.map(account => ({ account: spendAccountOf(account), period: account.spendPeriod })))
  return await Promise.all(
    accounts.map(async (account, index) => ({
      object: account.level,
      id: account.id,
      name: account.name,
      ...(account.level !== 'org' && { org: account.org }),
      ...(account.level === 'user' && { team: account.team ?? null }),
      policy: withoutMakers(account.policy),
      policy_set_by: lockMakers(account.policy),
      spend_cap_usd: account.spendCapUsd ?? null,
      spend_period: account.spendPeriod ?? null,
      spent_usd: account.spendCapUsd === undefined ? null : spent[index]!,
      ...(account.level === 'org' && { credit_balance_usd: account.hasCredit ? await ledger.balance(account.id) : null }),
      metadata: account.metadata ?? {},
      created_at: time(account.createdAt),
    })),
  )
}
