import type { PolicyLayer } from '../../policy.ts'

export const levels = ['org', 'team', 'user'] as const
export type AccountLevel = (typeof levels)[number]

/** An organization, a team or a user as the admin API shows it. */
export interface Account {
  readonly object: AccountLevel
  readonly id: string
  readonly name: string
  readonly org?: string
  readonly team?: string | null
  readonly policy: PolicyLayer
  /** Whose token set each enforced field. */
  readonly policy_set_by: Readonly<Record<string, 'all' | 'org'>>
  readonly spend_cap_usd: number | null
  readonly spend_period: 'day' | 'week' | 'month' | null
  readonly spent_usd: number | null
  readonly credit_balance_usd?: number | null
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: string
}

/** Names of the levels, and of the lists in the API. */
export const words: Readonly<Record<AccountLevel, { readonly one: string; readonly many: string; readonly list: string }>> = {
  org: { one: 'organization', many: 'Organizations', list: 'orgs' },
  team: { one: 'team', many: 'Teams', list: 'teams' },
  user: { one: 'user', many: 'Users', list: 'users' },
}

/** Parameters of `GET usage` for what is below the account. */
export function usageOf({ object, id, org }: Account): Readonly<Record<string, string | undefined>> {
  return object === 'org' ? { org: id } : { org, [object]: id }
}

/** The path of one account. Two organizations may use the same id for a team or a user. */
export function pathOf(level: AccountLevel, id: string, org: string | undefined): string {
  const path = `/${words[level].list}/${encodeURIComponent(id)}`
  return level === 'org' || org === undefined ? path : `${path}?org=${encodeURIComponent(org)}`
}
