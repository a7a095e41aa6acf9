import type { Item } from '../../../core/index.ts'
import { recentValues, type RecentValues, type ResponseStore, type StoredResponse, type Turn } from '../../../core/stores.ts'

/** The most recently used responses. If the start of a chain was dropped, the whole chain is unknown. */
export class MemoryResponses implements ResponseStore {
  readonly #responses: RecentValues<string, StoredResponse>
  /** For each item address, the address of the newest response with that item. */
  readonly #holders = new Map<string, string>()

  constructor(maxResponses: number) {
    this.#responses = recentValues(maxResponses, { dispose: (response, address) => this.#forget(response, address) })
  }

  async put(owner: string, response: StoredResponse): Promise<void> {
    const address = addressOf(owner, response.id)
    this.#responses.set(address, response)
    for (const { id } of itemsOf(response)) this.#holders.set(addressOf(owner, id), address)
  }

  async get(owner: string, id: string): Promise<StoredResponse | undefined> {
    return this.#responses.get(addressOf(owner, id))
  }

  async chain(owner: string, id: string): Promise<readonly Turn[] | undefined> {
    const newestFirst: StoredResponse[] = []
    for (let next: string | undefined = id; next !== undefined;) {
      const response: StoredResponse | undefined = this.#responses.get(addressOf(owner, next))
      // More links than responses: the chain is a loop.
      if (!response || newestFirst.length === this.#responses.size) return undefined
      newestFirst.push(response)
      next = response.previousId
    }
    return newestFirst.reverse()
  }

  async items(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    const wanted = new Set(ids)
    const holders = new Set(ids.map(id => this.#holders.get(addressOf(owner, id))))
    const found = new Map<string, Item>()
    for (const holder of holders) {
      const response = holder === undefined ? undefined : this.#responses.get(holder)
      if (!response) continue
      for (const item of itemsOf(response))
        if (wanted.has(item.id) && this.#holders.get(addressOf(owner, item.id)) === holder) found.set(item.id, item)
    }
    return found
  }

  async delete(owner: string, id: string): Promise<boolean> {
    return this.#responses.delete(addressOf(owner, id))
  }

  #forget(response: StoredResponse, address: string): void {
    const { owner } = partsOf(address)
    for (const { id } of itemsOf(response)) {
      const item = addressOf(owner, id)
      if (this.#holders.get(item) === address) this.#holders.delete(item)
    }
  }
}

type KeptItem = Item & { readonly id: string }

function itemsOf({ input, output }: Turn): readonly KeptItem[] {
  return [...input, ...output] as readonly KeptItem[]
}

/** Unambiguous for any characters in an id. */
function addressOf(owner: string, id: string): string {
  return JSON.stringify([owner, id])
}

function partsOf(address: string): { readonly owner: string } {
  return { owner: (JSON.parse(address) as readonly string[])[0]! }
}
