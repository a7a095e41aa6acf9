import { isDeepStrictEqual } from 'node:util'
import { policyFields, type Admin } from '../../../core/admin.ts'
import type { PolicyField } from '../../../core/index.ts'
import type { Account, AccountLevel, AccountPolicy, ApiKey, Position } from '../../../core/stores.ts'
import { changedPolicy } from './policy-schema.ts'
import { forbidden } from './refusals.ts'
import type { Stores } from './stores.ts'

// A token of one organization can neither change nor evade a lock that the operator set with a token for all organizations. These refusals
// tell it so. Two simultaneous requests can pass them; even then, the operator's lock applies: `resolvePolicy` in core.

type Setting = AccountPolicy[PolicyField]
type PolicyChange = Readonly<Record<string, Setting | null>>

const nouns = { org: 'organization', team: 'team', user: 'user' } as const
const pageSize = 100

/** The policy after a change by this caller. Throws a 403 if it changes a lock of the operator; one that is sent again stays as it is. */
export function policyChangedBy({ org }: Admin, policy: AccountPolicy, change: PolicyChange): AccountPolicy {
  if (org === undefined) return changedPolicy(policy, change)
  const own: Record<string, Setting | null> = {}
  for (const [field, wanted] of Object.entries(change)) {
    const current = policy[field as PolicyField]
    if (!isOperatorLock(current)) own[field] = wanted?.enforced ? { ...wanted, setBy: 'org' } : wanted!
    else if (!isSameLock(current, wanted))
      throw forbidden(`A token for all organizations locked "${field}" here. Only such a token can change it.`)
  }
  return changedPolicy(policy, own)
}

/** Who made each lock. */
export function lockMakers(policy: AccountPolicy): Readonly<Record<string, 'all' | 'org'>> {
  const locked = policyFields.filter(field => policy[field]?.enforced)
  return Object.fromEntries(locked.map(field => [field, policy[field]!.setBy === 'org' ? 'org' : 'all']))
}

/** The policy without who made it. */
export function withoutMakers(policy: AccountPolicy): AccountPolicy {
  return Object.fromEntries(
    Object.entries(policy).flatMap(([field, setting]) => {
      if (!setting) return []
      const { setBy: _, ...shown } = setting
      return [[field, shown]]
    }),
  )
}

/** Throws a 403 if the account has a lock of the operator, which would end with it. */
export function checkMayDelete({ org }: Admin, { level, id, policy }: Account): void {
  if (org === undefined) return
  const field = operatorLocks(policy)[0]
  if (field !== undefined)
    throw forbidden(`A token for all organizations locked "${field}" on the ${nouns[level]} "${id}". Only such a token can delete it.`)
}

/** Finds the ways round a lock that lead through other accounts. */
export class OperatorLocks {
  readonly #stores: Stores

  constructor(stores: Stores) {
    this.#stores = stores
  }

  /** Throws a 403 for a lock that contradicts another one, which the operator made on an account below. */
  async checkBelow({ org }: Admin, account: Account, change: PolicyChange): Promise<void> {
    if (org === undefined || account.level === 'user') return
    const { policy } = account
    const wanted = Object.entries(change).filter(
      ([field, setting]) => setting?.enforced && !isSameLock(policy[field as PolicyField], setting),
    )
    if (wanted.length === 0) return
    for await (const below of this.#below(account))
      for (const [field, setting] of wanted) {
        const lock = below.policy[field as PolicyField]
        if (!isOperatorLock(lock) || isSameLock(lock, setting) || !(await this.#isBelow(below, account))) continue
        throw forbidden(
          `A token for all organizations locked "${field}" on the ${nouns[below.level]} "${below.id}", and this lock contradicts it. Only such a token can set it.`,
        )
      }
  }

  /** Throws a 403 if a key of the user would leave a lock of the operator: that of its team, or that of the user. */
  async checkMove({ org }: Admin, user: Account, team: string | undefined): Promise<void> {
    if (org === undefined || user.team === team) return
    const next = team === undefined ? undefined : await this.#team(user.org, team)
    const overruled = operatorLocks(user.policy).find(field => {
      const lock = next?.policy[field]
      return lock?.enforced && !isSameLock(user.policy[field], lock)
    })
    if (overruled !== undefined) throw movesOut(overruled, 'user', user.id)
    for (const left of await this.#teamsLeft(user, team)) {
      const policy = (await this.#team(user.org, left))?.policy ?? {}
      const lost = operatorLocks(policy).find(field => {
        const lock = next?.policy[field]
        return !isOperatorLock(lock) || !isSameLock(policy[field], lock)
      })
      if (lost !== undefined) throw movesOut(lost, 'team', left)
    }
  }

  /** Throws a 403 for a new key whose team has a lock that contradicts one that the operator made on its user. */
  async checkNewKey({ org }: Admin, key: Pick<ApiKey, 'org' | 'team' | 'user'>): Promise<void> {
    if (org === undefined || key.team === undefined || key.user === undefined) return
    const user = await this.#stores.accounts.find({ level: 'user', org: key.org, id: key.user })
    const fields = user ? operatorLocks(user.policy) : []
    if (fields.length === 0) return
    const policy = (await this.#team(key.org, key.team))?.policy ?? {}
    const field = fields.find(each => policy[each]?.enforced && !isSameLock(user!.policy[each], policy[each]))
    if (field !== undefined)
      throw forbidden(
        `A token for all organizations locked "${field}" on the user "${key.user}", and the lock of the team "${key.team}" contradicts it. Only such a token can create this key.`,
      )
  }

  async #team(org: string, id: string): Promise<Account | undefined> {
    return await this.#stores.accounts.find({ level: 'team', org, id })
  }

  /** The teams that keys of the user would leave. */
  async #teamsLeft(user: Account, team: string | undefined): Promise<ReadonlySet<string>> {
    const left = new Set<string>(user.team === undefined ? [] : [user.team])
    if (team === undefined) return left
    let after: Position | undefined
    for (;;) {
      const found: readonly ApiKey[] = await this.#stores.keys.page({ org: user.org, user: user.id }, { limit: pageSize, after })
      for (const key of found) if (key.team !== undefined && key.team !== team) left.add(key.team)
      const last = found.at(-1)
      if (!last || found.length < pageSize) return left
      after = { at: last.createdAt, id: last.id }
    }
  }

  /** Accounts of the organization at the levels below. */
  async *#below({ level, org }: Account): AsyncGenerator<Account> {
    const levels: readonly AccountLevel[] = level === 'org' ? ['team', 'user'] : ['user']
    for (const each of levels) {
      let after: Position | undefined
      for (;;) {
        const found: readonly Account[] = await this.#stores.accounts.page({ level: each, org }, { limit: pageSize, after })
        yield* found
        const last = found.at(-1)
        if (!last || found.length < pageSize) break
        after = { at: last.createdAt, id: last.id }
      }
    }
  }

  /** A user without a team may have keys in any. */
  async #isBelow(below: Account, { level, org, id }: Account): Promise<boolean> {
    if (level === 'org' || below.team === id) return true
    return (await this.#stores.keys.page({ org, team: id, user: below.id }, { limit: 1 })).length > 0
  }
}

function operatorLocks(policy: AccountPolicy): readonly PolicyField[] {
  return policyFields.filter(field => isOperatorLock(policy[field]))
}

function isOperatorLock(setting: Setting): setting is NonNullable<Setting> {
  return setting?.enforced === true && setting.setBy !== 'org'
}

function isSameLock(lock: Setting, wanted: Setting | null): boolean {
  if (!lock?.enforced || !wanted?.enforced) return false
  return lock.value === wanted.value && isDeepStrictEqual(lock.settings ?? {}, wanted.settings ?? {})
}

function movesOut(field: PolicyField, level: 'team' | 'user', id: string): Error {
  return forbidden(
    `A token for all organizations locked "${field}" on the ${level} "${id}", and the user's keys would escape that lock. Only such a token can move the user.`,
  )
}
