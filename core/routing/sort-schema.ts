import type { SortStrategy } from '../contracts/sort-strategy.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Registry } from '../framework/registry.ts'

/** The JSON Schema of `routing.*.sort`, for the description of an API: the sorts that are loaded, with their sentences. */
export function sortSchema(registry: Registry<SortStrategy>): JsonObject {
  const strategies = registry.values()
  if (strategies.length === 0) return { not: {}, description: 'This gateway has no sorts.' }
  const names = strategies.flatMap(({ name, pattern }) => (pattern === undefined ? name : []))
  const patterns = strategies.flatMap(({ pattern }) => pattern ?? [])
  const standard = strategies.find(({ isDefault }) => isDefault)
  const lines = strategies.map(({ name, description }) => `- \`${name}\`: ${description}`)
  return {
    type: 'string',
    description: `What comes first:\n${lines.join('\n')}`,
    ...(standard && { default: standard.name }),
    anyOf: [...(names.length > 0 ? [{ enum: names }] : []), ...patterns.map(pattern => ({ pattern }))],
  }
}
