import { accountFields, type ShownAccount } from '../../fields.ts'

export const levels = accountFields.level.choices
export type AccountLevel = (typeof levels)[number]

/** An organization, a team or a user as the admin API shows it. */
export interface Account extends ShownAccount {}

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
