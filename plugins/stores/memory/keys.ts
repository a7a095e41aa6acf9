import type { ApiKey, KeyStore } from '../../../core/index.ts'

export class MemoryKeys implements KeyStore {
  readonly persistent = false
  readonly #keys = new Map<string, ApiKey>()

  find(id: string): ApiKey | undefined {
    return this.#keys.get(id)
  }

  add(key: ApiKey): void {
    if (this.#keys.has(key.id)) throw new Error(`a key with the id ${key.id} exists already`)
    this.#keys.set(key.id, key)
  }

  empty(): boolean {
    return this.#keys.size === 0
  }
}
