import { isObject } from '../../../core/index.ts'
import { snakeCase as snakeName } from '../../../core/stores.ts'
import type { Snaked } from '../../../core/admin.ts'

/** The same value with member names such as `elapsed_ms` instead of `elapsedMs`. */
export function snakeCase<T>(value: T): Snaked<T> {
  return snaked(value) as Snaked<T>
}

function snaked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snaked)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeName(name), snaked(each)]))
}
