import type { JsonObject } from '../../../core/index.ts'

const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])
const kept = new Set(['$ref', 'type', 'enum', 'const', 'title', 'description', 'default', 'required'])
const schemas = new Set(['items'])
const schemaLists = new Set(['anyOf', 'allOf'])
const schemaMaps = new Set(['properties', '$defs', 'definitions'])

/**
 * A JSON Schema in the subset that the vendor can hold the model to ("Structured outputs", JSON Schema limitations).
 * It refuses any other keyword, so what it cannot enforce is told to the model in the description instead.
 */
export function enforceableSchema(schema: JsonObject): JsonObject {
  const result: Record<string, unknown> = {}
  const told: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (
      kept.has(keyword) ||
      (keyword === 'format' && formats.has(String(value))) ||
      (keyword === 'minItems' && (value === 0 || value === 1))
    )
      result[keyword] = value
    else if (schemas.has(keyword)) result[keyword] = enforceable(value)
    else if (schemaLists.has(keyword)) result[keyword] = list(value)
    else if (keyword === 'oneOf') result.anyOf = list(value)
    else if (schemaMaps.has(keyword)) result[keyword] = map(value)
    else if (keyword !== '$schema' && keyword !== '$id' && keyword !== 'additionalProperties')
      told.push(`${keyword}: ${JSON.stringify(value)}`)
  }
  if (schema.type === 'object' || schema.properties !== undefined) result.additionalProperties = false
  if (told.length > 0) result.description = [result.description, `{${told.join(', ')}}`].filter(Boolean).join('\n\n')
  return result
}

function enforceable(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? enforceableSchema(value as JsonObject) : value
}

function list(value: unknown): unknown {
  return Array.isArray(value) ? value.map(enforceable) : value
}

function map(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, enforceable(each)]))
}
