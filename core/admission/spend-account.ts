import type { Account } from '../contracts/account-fields.ts'

/** The name under which the ledger keeps an account's spending. */
export function spendAccountOf({ level, org, id }: Pick<Account, 'level' | 'org' | 'id'>): string {
  return level === 'org' ? `org:${encodeURIComponent(id)}` : `${level}:${encodeURIComponent(org)}/${encodeURIComponent(id)}`
}
