import {
  frozenCopy,
  type Account,
  type AccountChange,
  type AccountFilter,
  type AccountLevel,
  type AccountRef,
  type AccountStore,
  type PageQuery,
} from '../../../core/stores.ts'
import type { MemoryKeys } from './keys.ts'
import { compared, pageOf } from './page.ts'

export class MemoryAccounts implements AccountStore {
  readonly persistent = false
  readonly #accounts = new Map<string, Account>()
  readonly #retired = new Set<string>()
  readonly #keys: MemoryKeys | undefined

  /** `keys`: undefined if another store has them. */
  constructor(keys: MemoryKeys | undefined) {
    this.#keys = keys
  }

  find(ref: AccountRef): Account | undefined {
    return this.#accounts.get(nameOf(ref))
  }

  named(level: AccountLevel, id: string): readonly Account[] {
    return this.#all().filter(account => account.level === level && account.id === id)
  }

  page({ level, org, team }: AccountFilter, query: PageQuery): readonly Account[] {
    const isWanted = (account: Account): boolean =>
      account.level === level && (org === undefined || account.org === org) && (team === undefined || account.team === team)
    return pageOf(this.#all().filter(isWanted), positionOf, query)
  }

  add(account: Account): boolean {
    const name = nameOf(account)
    if (this.#accounts.has(name) || this.#retired.has(name)) return false
    this.#accounts.set(name, frozenCopy(account))
    return true
  }

  update(ref: AccountRef, change: AccountChange | ((account: Account) => AccountChange)): boolean {
    const account = this.find(ref)
    if (!account) return false
    this.#accounts.set(nameOf(ref), frozenCopy({ ...account, ...(typeof change === 'function' ? change(account) : change) }))
    return true
  }

  remove(ref: AccountRef): 'removed' | 'unknown' | 'in-use' {
    if (!this.find(ref)) return 'unknown'
    const { level, org, id } = ref
    const keys = this.#keys?.page({ org, ...(level !== 'org' && { [level]: id }) }, { limit: 1 })
    if ((keys && keys.length > 0) || this.#all().some(account => isBelow(account, ref))) return 'in-use'
    this.#accounts.delete(nameOf(ref))
    this.#retired.add(nameOf(ref))
    return 'removed'
  }

  /** The oldest first. */
  #all(): readonly Account[] {
    return [...this.#accounts.values()].toSorted((a, b) => compared(positionOf(a), positionOf(b)))
  }
}

function isBelow(account: Account, { level, org, id }: AccountRef): boolean {
  if (account.org !== org) return false
  return level === 'org' ? account.level !== 'org' : level === 'team' && account.team === id
}

function nameOf({ level, org, id }: AccountRef): string {
  return `${level}\0${org}\0${id}`
}

function positionOf({ createdAt, id }: Account): { readonly at: number; readonly id: string } {
  return { at: createdAt, id }
}
