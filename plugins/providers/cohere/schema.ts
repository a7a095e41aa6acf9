import { isObject, type JsonObject } from '../../../core/index.ts'

/** "Structured Outputs", unsupported schema features. */
const unsupported = new Set([
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'contains',
  'uniqueItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'patternProperties',
  'propertyNames',
])

const formats = new Set(['date-time', 'uuid', 'date', 'time'])

/** True if the vendor enforces this schema: an object, with a required member in each object, and no unsupported keyword. */
export function isEnforceable(schema: JsonObject): boolean {
  return schema['type'] === 'object' && isSupported(schema)
}

function isSupported(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isSupported)
  if (!isObject(value)) return true
  const { type, format, pattern, properties, required } = value
  if (Object.keys(value).some(keyword => unsupported.has(keyword))) return false
  if (typeof format === 'string' && !formats.has(format)) return false
  if (typeof pattern === 'string' && /[$^]|\?[=!]/.test(pattern)) return false
  if (type === 'object' && isEmpty(required)) return false
  return Object.values(properties ?? {}).every(isSupported) && schemasIn(value).every(isSupported)
}

function schemasIn({ items, anyOf, prefixItems, additionalProperties, $defs, definitions }: JsonObject): readonly unknown[] {
  return [items, anyOf, prefixItems, additionalProperties, ...Object.values($defs ?? {}), ...Object.values(definitions ?? {})]
}

function isEmpty(required: unknown): boolean {
  return !Array.isArray(required) || required.length === 0
}

/** The total number of members in a schema's objects. */
export function countFields(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((total, each) => total + countFields(each), 0)
  if (!isObject(value)) return 0
  const properties = Object.values(value['properties'] ?? {})
  return properties.length + [...properties, ...schemasIn(value)].reduce<number>((total, each) => total + countFields(each), 0)
}
