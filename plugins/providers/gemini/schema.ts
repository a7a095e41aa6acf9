import { isObject, type JsonObject } from '../../../core/index.ts'

const kept = new Set([
  '$id',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'required',
  'propertyOrdering',
])
const single = new Set(['items', 'additionalProperties'])
const lists = new Set(['anyOf', 'oneOf', 'prefixItems'])
const ignored = new Set(['$schema', '$comment', 'default', 'examples'])

/**
 * A JSON Schema in the keywords that the vendor enforces (`responseJsonSchema`). It ignores other keywords, so they go into the
 * description for the model to read. A reference allows no other keywords next to it.
 */
export function enforceableSchema(schema: JsonObject): JsonObject {
  const { $ref } = schema
  if (typeof $ref === 'string') return { $ref: $ref.replace(/^#\/definitions\//, '#/$defs/'), ...definitionsOf(schema) }
  const result: Record<string, unknown> = {}
  const told: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (kept.has(keyword)) result[keyword] = value
    else if (single.has(keyword)) result[keyword] = enforceable(value)
    else if (lists.has(keyword) && Array.isArray(value)) result[keyword] = value.map(enforceable)
    else if (keyword === 'properties') result[keyword] = members(value)
    else if (keyword === 'const' && (typeof value === 'string' || typeof value === 'number')) result['enum'] = [value]
    else if (keyword !== '$defs' && keyword !== 'definitions' && !ignored.has(keyword)) told.push(`${keyword}: ${JSON.stringify(value)}`)
  }
  if (told.length > 0) result['description'] = [result['description'], `{${told.join(', ')}}`].filter(Boolean).join('\n\n')
  return { ...result, ...definitionsOf(schema) }
}

function definitionsOf({ $defs, definitions }: JsonObject): JsonObject {
  const all = { ...(isObject($defs) && members($defs)), ...(isObject(definitions) && members(definitions)) }
  return Object.keys(all).length > 0 ? { $defs: all } : {}
}

function members(value: unknown): JsonObject {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, each]) => [name, enforceable(each)]))
}

function enforceable(value: unknown): unknown {
  return isObject(value) ? enforceableSchema(value) : value
}
