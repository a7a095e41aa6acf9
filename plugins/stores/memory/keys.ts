import type { ApiKey, KeyChange, KeyStore } from '../../../core/index.ts'

export class MemoryKeys implements KeyStore {
  readonly persistent = false
  readonly #keys = new Map<string, ApiKey>()

  find(id: string): ApiKey | undefined {
    return this.#keys.get(id)
  }

  add(key: ApiKey): void {
    if (this.#keys.has(key.id)) throw new Error(`a key with the id ${key.id} already exists`)
    this.#keys.set(key.id, key)
  }

  update(id: string, change: KeyChange): boolean {
    const key = this.#keys.get(id)
    if (!key) return false
    this.#keys.set(id, { ...key, ...change })
    return true
  }

  list(): readonly ApiKey[] {
    return [...this.#keys.values()]
  }

  empty(): boolean {
    return this.#keys.size === 0
  }
}
