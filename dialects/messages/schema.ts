import { isObject, type JsonObject } from '../../core/index.ts'

const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])
const kept = new Set(['$ref', 'type', 'enum', 'const', 'title', 'description', 'default', 'required'])
const ignored = new Set(['$schema', '$id', 'additionalProperties'])

/**
 * A JSON Schema in the subset that the vendor enforces ("Structured outputs", JSON Schema limitations).
 * The vendor rejects other keywords, so they go into the description for the model to read.
 * Returns undefined if the subset would change the meaning: recursion, external references, objects with arbitrary member names.
 */
export function enforceableSchema(schema: JsonObject): JsonObject | undefined {
  return isSayable(schema, schema, []) ? subset(schema) : undefined
}

function isSayable(schema: unknown, root: JsonObject, path: readonly string[]): boolean {
  if (!isObject(schema)) return true
  const { $ref, additionalProperties, properties, patternProperties } = schema
  if (typeof $ref === 'string') {
    const target = path.includes($ref) ? undefined : resolve($ref, root)
    return target !== undefined && isSayable(target, root, [...path, $ref])
  }
  if (patternProperties !== undefined || (isObject(additionalProperties) && Object.keys(additionalProperties).length > 0)) return false
  const isOpen = schema.type === 'object' && properties === undefined && additionalProperties !== false
  if (isOpen && schema.anyOf === undefined && schema.oneOf === undefined && schema.allOf === undefined) return false
  const parts = [
    schema.items,
    ...listOf(schema.anyOf),
    ...listOf(schema.oneOf),
    ...listOf(schema.allOf),
    ...Object.values(properties ?? {}),
  ]
  return parts.every(part => isSayable(part, root, path))
}

function resolve(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith('#/')) return undefined
  const names = reference.slice(2).split('/')
  return names.reduce<unknown>((node, name) => (isObject(node) ? node[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined), root)
}

function subset(schema: JsonObject): JsonObject {
  const result: Record<string, unknown> = {}
  const told: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (kept.has(keyword) || isKeptValue(keyword, value)) result[keyword] = value
    else if (keyword === 'items') result.items = subsetOf(value)
    else if (keyword === 'anyOf' || keyword === 'allOf') result[keyword] = listOf(value).map(subsetOf)
    else if (keyword === 'oneOf') result.anyOf = listOf(value).map(subsetOf)
    else if (keyword === 'properties' || keyword === '$defs' || keyword === 'definitions')
      result[keyword] = Object.fromEntries(Object.entries(value ?? {}).map(([name, each]) => [name, subsetOf(each)]))
    else if (!ignored.has(keyword)) told.push(`${keyword}: ${JSON.stringify(value)}`)
  }
  if (schema.type === 'object' || schema.properties !== undefined) result.additionalProperties = false
  if (told.length > 0) result.description = [result.description, `{${told.join(', ')}}`].filter(Boolean).join('\n\n')
  return result
}

function isKeptValue(keyword: string, value: unknown): boolean {
  return keyword === 'format' ? formats.has(String(value)) : keyword === 'minItems' && (value === 0 || value === 1)
}

function subsetOf(value: unknown): unknown {
  return isObject(value) ? subset(value) : value
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
