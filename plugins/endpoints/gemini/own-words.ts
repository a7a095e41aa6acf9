import { isObject, type JsonObject } from '../../../core/index.ts'

/** Puts the members of an item's `extra` into its part. A name with a dot is a member of a member. */
export function withOwnWords(part: JsonObject, extra: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...part }
  for (const [path, value] of Object.entries(extra)) {
    const dot = path.indexOf('.')
    const outer = dot < 0 ? undefined : result[path.slice(0, dot)]
    if (isObject(outer)) result[path.slice(0, dot)] = { ...outer, [path.slice(dot + 1)]: value }
    else if (dot < 0) result[path] = value
  }
  return result
}
