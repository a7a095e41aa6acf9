/** Whether a value nests deeper than so many objects and lists. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some(entry => isDeeperThan(entry, depth - 1))
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], depth - 1)) return true
  return false
}
