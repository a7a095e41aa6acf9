import { LRUCache } from 'lru-cache'
import type { ResponseStore, StoredResponse } from '../../../core/index.ts'

/** The responses that were used last. A chain whose beginning was dropped is unknown as a whole. */
export class MemoryResponses implements ResponseStore {
  readonly #responses: LRUCache<string, StoredResponse>

  constructor(maxResponses: number) {
    this.#responses = new LRUCache({ max: maxResponses })
  }

  async put(owner: string, response: StoredResponse): Promise<void> {
    this.#responses.set(address(owner, response.id), response)
  }

  async chain(owner: string, id: string): Promise<readonly StoredResponse[] | undefined> {
    const newestFirst: StoredResponse[] = []
    for (let next: string | undefined = id; next !== undefined;) {
      const response: StoredResponse | undefined = this.#responses.get(address(owner, next))
      // More links than responses: the chain bites its own tail.
      if (!response || newestFirst.length === this.#responses.size) return undefined
      newestFirst.push(response)
      next = response.previousId
    }
    return newestFirst.reverse()
  }
}

/** Unambiguous, whatever characters a caller puts into an id. */
function address(owner: string, id: string): string {
  return JSON.stringify([owner, id])
}
