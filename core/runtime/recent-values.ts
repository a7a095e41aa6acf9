import { LRUCache } from 'lru-cache'

/**
 * A cache of the `max` values that were used last. It takes memory as it fills. With lru-cache's own `max`, it would take all of it at
 * once, and most caches of a gateway stay almost empty.
 */
export function recentValues<K extends {}, V extends {}>(max: number, options: LRUCache.OptionsBase<K, V, unknown> = {}): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: max, sizeCalculation: () => 1 })
}
