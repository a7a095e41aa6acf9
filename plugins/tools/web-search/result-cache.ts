import { LRUCache } from 'lru-cache'
import type { Caller, FoundPage, SearchQuery } from '../../../core/index.ts'

/** Recent results of engines, by organization. Keeps none for callers with zero data retention on or logging off. */
export class ResultCache {
  readonly #found: LRUCache<string, readonly FoundPage[]> | undefined

  /** `max` 0 turns it off. */
  constructor({ max, ttlMs }: { readonly max: number; readonly ttlMs: number }) {
    this.#found = max > 0 && ttlMs > 0 ? new LRUCache({ max, ttl: ttlMs }) : undefined
  }

  get(caller: Caller, engines: readonly { readonly name: string }[], query: SearchQuery): readonly FoundPage[] | undefined {
    return keeps(caller) ? this.#found?.get(keyOf(caller, engines, query)) : undefined
  }

  set(caller: Caller, engines: readonly { readonly name: string }[], query: SearchQuery, results: readonly FoundPage[]): void {
    if (keeps(caller)) this.#found?.set(keyOf(caller, engines, query), results)
  }
}

function keeps({ policy }: Caller): boolean {
  return policy.logging.value && !policy.zdr.value
}

function keyOf({ key }: Caller, engines: readonly { readonly name: string }[], query: SearchQuery): string {
  return JSON.stringify([key.org, engines.map(({ name }) => name), query])
}
