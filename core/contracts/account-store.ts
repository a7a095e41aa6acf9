import type { Maybe } from '../runtime/pending.ts'
import { accountFields, type Account } from './account-fields.ts'
import type { PageQuery } from './page.ts'
import type { Level, PolicyField, PolicyLayer } from './policy.ts'
import { contract } from '../foundation/token.ts'

export type { Account } from './account-fields.ts'

/** The levels that have accounts, from the top. */
export const accountLevels = accountFields.level.choices
/** The levels that have accounts. A key is not one. */
export type AccountLevel = Exclude<Level, 'key'>

/**
 * The policy of an account. `setBy: 'org'` is on locks that a token of this one organization made. All other locks were made by a token for all
 * organizations: the admin API lets only such tokens change them, and they win over locks with `setBy` at any level.
 */
export type AccountPolicy = {
  readonly [F in PolicyField]?: NonNullable<PolicyLayer[F]> & { readonly setBy?: 'org' }
}

/** Names one account. Ids are unique per level and organization: two organizations may each have a team `research`. */
export interface AccountRef {
  /** The level, because ids of different levels may be equal. */
  readonly level: AccountLevel
  /** For an organization, the same as `id`. */
  readonly org: string
  /** Unique within level and organization. */
  readonly id: string
}

/** Changes to an account. Present members replace the account's; `undefined` removes them. */
export type AccountChange = Partial<Omit<Account, 'level' | 'org' | 'id' | 'createdAt'>>

/** Which accounts to list: all of a level, or those of one organization or team. */
export interface AccountFilter {
  /** Only accounts of this level. */
  readonly level: AccountLevel
  /** Default: of all organizations. */
  readonly org?: string | undefined
  /** Default: of all teams. */
  readonly team?: string | undefined
}

/**
 * Stores organizations, teams and users. A key may name accounts that do not exist here: they set no policy and no cap.
 * `find` runs up to three times for every request, so answer from memory if possible, and return the same object until the account changes:
 * core caches by identity, and checks and freezes each object once. To change an account, replace its object. Every process that shares the
 * store must see a change within a second. A throw becomes a 503, and so does an account with a member that `Account` does not allow: the log
 * names the member. No function has a time limit. `accountStoreSuite` of `turnpike/testing` checks an implementation.
 */
export interface AccountStore {
  /** True if accounts survive a restart. */
  readonly persistent: boolean
  /** The account, or undefined if there is none. */
  find(ref: AccountRef): Maybe<Account | undefined>
  /** The accounts with this id in all organizations: usually one. */
  named(level: AccountLevel, id: string): Maybe<readonly Account[]>
  /** The oldest first. */
  page(filter: AccountFilter, query: PageQuery): Maybe<readonly Account[]>
  /** False if the account exists or existed: otherwise a new account could inherit the responses, credit and spending of a removed one. */
  add(account: Account): Maybe<boolean>
  /**
   * Changes only these members. A function gets the stored account, and nothing else changes it meanwhile. False if the account does not
   * exist.
   */
  update(ref: AccountRef, change: AccountChange | ((account: Account) => AccountChange)): Maybe<boolean>
  /** Removes an account unless there are teams, users or, if the store has them too, keys below it. Hidden keys do not count. Atomic. */
  remove(ref: AccountRef): Maybe<'removed' | 'unknown' | 'in-use'>
}
export const AccountStore = contract<AccountStore>('account-store', { version: 1, stability: 'stable' })
