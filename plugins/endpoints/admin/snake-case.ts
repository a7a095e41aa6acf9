import { isObject } from '../../../core/index.ts'

/** The same value with member names such as `elapsed_ms` instead of `elapsedMs`. */
export function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeName(name), snakeCase(each)]))
}

function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
