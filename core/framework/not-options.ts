import { isObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { pluginName } from './plugin.ts'

/** The reason why a plugin was called with something that cannot be options. Quotes nothing: it may be a key. */
export function notOptions(given: unknown): string | undefined {
  if (Array.isArray(given)) return 'was called with an array: pass its options as one object, such as { id: … }'
  if (!isObject(given)) return `was called with ${kindOf(given)}: pass its options as one object, such as { id: … }`
  if (pluginName(given) !== undefined) return `was called with the plugin ${pluginName(given)}: list that one in \`plugins\`, too`
  const [path, value] = misplaced(given, '') ?? []
  if (path === undefined) return undefined
  const name = pluginName(value)
  if (name !== undefined) return `has the plugin ${name} as its option ${path}: plugins go into the list \`plugins\` of the config`
  return `has a ${typeof value} as its option ${path}: options are data, as in JSON`
}

/** The first option that is a plugin, a function or a symbol. */
function misplaced(value: unknown, path: string, seen = new Set<unknown>()): readonly [path: string, value: unknown] | undefined {
  if (typeof value === 'function' || typeof value === 'symbol' || pluginName(value) !== undefined) return [path, value]
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined
  seen.add(value)
  for (const [name, each] of Object.entries(value)) {
    const found = misplaced(each, Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`, seen)
    if (found) return found
  }
  return undefined
}
