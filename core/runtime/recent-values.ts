import { LRUCache } from 'lru-cache'

/** The values that were used last. To get or set one is to use it. */
export interface RecentValues<K, V> extends Iterable<[K, V]> {
  /** How many entries there are. */
  readonly size: number
  /** The value, which counts as used. */
  get(key: K): V | undefined
  /** True if there is a value. It does not count as used. */
  has(key: K): boolean
  /** Adds or replaces a value. The one used longest ago may go. */
  set(key: K, value: V): this
  /** True if there was one. */
  delete(key: K): boolean
  /** From the value that was used last. */
  keys(): Iterable<K>
  /** Those used last come first. */
  values(): Iterable<V>
  /** Those used last come first. */
  entries(): Iterable<[K, V]>
}

/** Options of lru-cache. */
export interface RecentValuesOptions<K, V> {
  /** How long a value stays, in milliseconds. */
  readonly ttl?: number
  /** How often the clock is read, in milliseconds. */
  readonly ttlResolution?: number
  /** The clock. Default: `performance`. */
  readonly perf?: {
    /** Milliseconds, from any start. */
    now(): number
  }
  /** Called with each value that goes. */
  readonly dispose?: (value: V, key: K) => void
}

/**
 * A cache of the `max` values that were used last. It takes memory as it fills. With lru-cache's own `max`, it would take all of it at
 * once, and most caches of a gateway stay almost empty.
 */
export function recentValues<K extends {}, V extends {}>(max: number, options: RecentValuesOptions<K, V> = {}): RecentValues<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: max, sizeCalculation: () => 1 } as LRUCache.Options<K, V, unknown>)
}
