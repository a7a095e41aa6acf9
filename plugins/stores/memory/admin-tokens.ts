import type { AdminToken, AdminTokenStore } from '../../../core/stores.ts'

export class MemoryAdminTokens implements AdminTokenStore {
  readonly #tokens = new Map<string, AdminToken>()

  find(id: string): AdminToken | undefined {
    return this.#tokens.get(id)
  }

  add(token: AdminToken): void {
    this.#tokens.set(token.id, token)
  }

  remove(id: string): boolean {
    return this.#tokens.delete(id)
  }

  list(): readonly AdminToken[] {
    return [...this.#tokens.values()]
  }
}
