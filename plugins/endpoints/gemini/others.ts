import type { JsonObject } from '../../../core/index.ts'

/**
 * The members that are not known, for upstreams of the same dialect. `prefix`: the path of the object in its part, because an `extra` is
 * flat.
 */
export function others(value: JsonObject, known: readonly string[], prefix = ''): JsonObject {
  let extra: Record<string, unknown> | undefined
  for (const name in value) if (!known.includes(name) && value[name] !== undefined) (extra ??= {})[prefix + name] = value[name]
  return extra ?? nothing
}

const nothing: JsonObject = {}
