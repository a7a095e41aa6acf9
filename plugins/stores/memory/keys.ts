import { frozenCopy, type ApiKey, type KeyChange, type KeyFilter, type KeyStore, type PageQuery } from '../../../core/stores.ts'
import { compared, pageOf } from './page.ts'

export class MemoryKeys implements KeyStore {
  readonly persistent = false
  readonly #keys = new Map<string, ApiKey>()

  find(id: string): ApiKey | undefined {
    return this.#keys.get(id)
  }

  findAll(ids: readonly string[]): readonly ApiKey[] {
    return ids.flatMap(id => this.#keys.get(id) ?? [])
  }

  add(key: ApiKey): void {
    if (this.#keys.has(key.id)) throw new Error(`a key with the id ${key.id} already exists`)
    this.#keys.set(key.id, frozenCopy(key))
  }

  update(id: string, change: KeyChange | ((key: ApiKey) => KeyChange)): boolean {
    const key = this.#keys.get(id)
    if (!key) return false
    this.#keys.set(id, frozenCopy({ ...key, ...(typeof change === 'function' ? change(key) : change) }))
    return true
  }

  remove(id: string): boolean {
    return this.#keys.delete(id)
  }

  list(): readonly ApiKey[] {
    return [...this.#keys.values()].filter(({ hidden }) => !hidden).toSorted((a, b) => compared(positionOf(a), positionOf(b)))
  }

  page({ org, team, user, expires }: KeyFilter, query: PageQuery): readonly ApiKey[] {
    const isWanted = (key: ApiKey): boolean =>
      (org === undefined || key.org === org) &&
      (team === undefined || key.team === team) &&
      (user === undefined || key.user === user) &&
      (expires === undefined || (key.expiresAt !== undefined && key.expiresAt > expires.after && key.expiresAt <= expires.by))
    return pageOf(this.list().filter(isWanted), positionOf, query)
  }

  empty(): boolean {
    return this.#keys.size === 0
  }
}

function positionOf({ createdAt, id }: ApiKey): { readonly at: number; readonly id: string } {
  return { at: createdAt, id }
}
