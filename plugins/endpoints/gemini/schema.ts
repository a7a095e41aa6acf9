import { isObject, type JsonObject } from '../../../core/index.ts'

const numbers = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'])
const single = new Set(['items', 'additionalProperties'])
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const maps = new Set(['properties', '$defs', 'defs', 'definitions'])
const snakeCase: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  max_items: 'maxItems',
  min_items: 'minItems',
  max_length: 'maxLength',
  min_length: 'minLength',
  max_properties: 'maxProperties',
  min_properties: 'minProperties',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
  prefix_items: 'prefixItems',
}

/**
 * A schema of this API as JSON Schema: the API's own is the subset of OpenAPI 3.0 with types in capitals, `nullable`, and limits that may be
 * texts ("Schema"). What is JSON Schema already stays as it is.
 */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const result: Record<string, unknown> = {}
  for (const given in schema) {
    const value = schema[given]
    const keyword = snakeCase[given] ?? given
    if (keyword === 'nullable' || keyword === 'propertyOrdering' || value === null) continue
    if (keyword === 'type') {
      if (typeof value !== 'string') result['type'] = value
      else if (value.toUpperCase() !== 'TYPE_UNSPECIFIED') result['type'] = value.toLowerCase()
    } else if (keyword === 'example') result['examples'] = [value]
    else if (keyword === 'format' && value === 'enum') continue
    else if (numbers.has(keyword) && typeof value === 'string' && /^\d+$/.test(value)) result[keyword] = Number(value)
    else if (single.has(keyword)) result[keyword] = inner(value)
    else if (lists.has(keyword) && Array.isArray(value)) result[keyword] = value.map(inner)
    else if (maps.has(keyword) && isObject(value))
      result[keyword === 'defs' ? '$defs' : keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))
    else if (keyword === 'ref') result['$ref'] = value
    else result[keyword] = value
  }
  return schema['nullable'] === true ? orNull(result) : result
}

function inner(value: unknown): unknown {
  return isObject(value) ? jsonSchemaOf(value) : value
}

function orNull(schema: Record<string, unknown>): JsonObject {
  const { type, enum: values } = schema
  if (typeof type !== 'string')
    return Array.isArray(schema['anyOf']) ? { ...schema, anyOf: [...schema['anyOf'], { type: 'null' }] } : schema
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }) }
}

/** True if other vendors can hold the model to it: every object has all of its members, and no others. */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isObject(schema)) return true
  const { properties, required, additionalProperties } = schema
  if (isObject(properties)) {
    const names = Object.keys(properties)
    const isClosed = additionalProperties === false && Array.isArray(required) && names.every(name => required.includes(name))
    if (!isClosed || !Object.values(properties).every(isStrict)) return false
  } else if (schema['type'] === 'object') return false
  return [...single, ...lists].every(keyword => keyword === 'additionalProperties' || isStrict(schema[keyword]))
}
