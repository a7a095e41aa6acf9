import { LRUCache } from 'lru-cache'

/** The values that were used last. To get or set one is to use it. */
export interface RecentValues<K, V> extends Iterable<[K, V]> {
  readonly size: number
  get(key: K): V | undefined
  has(key: K): boolean
  set(key: K, value: V): this
  delete(key: K): boolean
  /** From the value that was used last. */
  keys(): Iterable<K>
  values(): Iterable<V>
  entries(): Iterable<[K, V]>
}

/** Options of lru-cache. */
export interface RecentValuesOptions<K, V> {
  /** How long a value stays, in milliseconds. */
  readonly ttl?: number
  readonly ttlResolution?: number
  readonly perf?: { now(): number }
  readonly dispose?: (value: V, key: K) => void
}

/**
 * A cache of the `max` values that were used last. It takes memory as it fills. With lru-cache's own `max`, it would take all of it at
 * once, and most caches of a gateway stay almost empty.
 */
export function recentValues<K extends {}, V extends {}>(max: number, options: RecentValuesOptions<K, V> = {}): RecentValues<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: max, sizeCalculation: () => 1 } as LRUCache.Options<K, V, unknown>)
}
