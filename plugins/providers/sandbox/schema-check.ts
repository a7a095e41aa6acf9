import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../core/index.ts'
import { regularExpression } from './regular-expression.ts'

export type JsonSchema = boolean | JsonObject

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** What a reference within the document means; undefined where there is nothing. */
export function resolveReference(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (!reference.startsWith('#')) return undefined
  let found: unknown = root
  for (const step of decodeURIComponent(reference.slice(1)).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as JsonObject)[name]
  }
  return asSchema(found)
}

export function asSchema(value: unknown): JsonSchema | undefined {
  return typeof value === 'boolean' || isObject(value) ? value : undefined
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

export function matchesPattern(pattern: unknown, text: string): boolean {
  return typeof pattern !== 'string' || (regularExpression(pattern)?.accepts(text) ?? true)
}

const deepest = 100

/** What may still be spent on one schema: schemas are the caller's, and some are built to take for ever. */
export interface Work {
  left: number
}

/** Whether a value fits a schema. Formats, annotations and patterns that are not regular are taken on trust. */
export function fits(value: unknown, schema: JsonSchema, root: JsonSchema, work: Work, depth = 0): boolean {
  if (typeof schema === 'boolean') return schema
  if (depth > deepest || work.left-- <= 0) return false
  const check = (part: unknown, inner: unknown = value): boolean => fits(inner, asSchema(part) ?? true, root, work, depth + 1)
  return (
    fitsType(value, schema) &&
    fitsCombination(schema, root, check) &&
    (typeof value !== 'number' || fitsNumber(value, schema)) &&
    (typeof value !== 'string' || fitsString(value, schema)) &&
    (!Array.isArray(value) || fitsArray(value, schema, check)) &&
    (!isObject(value) || fitsObject(value, schema, check))
  )
}

type Check = (part: unknown, inner?: unknown) => boolean

function fitsType(value: unknown, schema: JsonObject): boolean {
  const types = typeof schema.type === 'string' ? [schema.type] : asList(schema.type)
  const actual = typeOf(value)
  if (types.length > 0 && !types.some(type => type === actual || (type === 'integer' && Number.isInteger(value)))) return false
  if ('const' in schema && !isDeepStrictEqual(value, schema.const)) return false
  return !Array.isArray(schema.enum) || schema.enum.some(each => isDeepStrictEqual(each, value))
}

function fitsCombination(schema: JsonObject, root: JsonSchema, check: Check): boolean {
  if (typeof schema.$ref === 'string' && !check(resolveReference(root, schema.$ref) ?? false)) return false
  if (!asList(schema.allOf).every(part => check(part))) return false
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some(part => check(part))) return false
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter(part => check(part)).length !== 1) return false
  if (schema.not !== undefined && check(schema.not)) return false
  return schema.if === undefined || check((check(schema.if) ? schema.then : schema.else) ?? true)
}

function fitsNumber(value: number, schema: JsonObject): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number' && value < minimum) return false
  if (typeof maximum === 'number' && value > maximum) return false
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false
  return typeof multipleOf !== 'number' || Number.isInteger(value / multipleOf)
}

function fitsString(value: string, schema: JsonObject): boolean {
  const length = Array.from(value).length
  if (typeof schema.minLength === 'number' && length < schema.minLength) return false
  if (typeof schema.maxLength === 'number' && length > schema.maxLength) return false
  return matchesPattern(schema.pattern, value)
}

function fitsArray(value: readonly unknown[], schema: JsonObject, check: Check): boolean {
  const { minItems, maxItems, uniqueItems, contains, minContains = 1, maxContains } = schema
  if (typeof minItems === 'number' && value.length < minItems) return false
  if (typeof maxItems === 'number' && value.length > maxItems) return false
  if (uniqueItems === true && value.some((each, index) => value.slice(0, index).some(earlier => isDeepStrictEqual(earlier, each))))
    return false
  const { prefix, rest } = itemSchemas(schema)
  if (!value.every((each, index) => check(index < prefix.length ? prefix[index] : rest, each))) return false
  if (contains === undefined) return true
  const found = value.filter(each => check(contains, each)).length
  return found >= (minContains as number) && (typeof maxContains !== 'number' || found <= maxContains)
}

/** `prefixItems` with `items`, or the older list of `items` with `additionalItems`. */
export function itemSchemas(schema: JsonObject): { readonly prefix: readonly unknown[]; readonly rest: unknown } {
  if (Array.isArray(schema.items)) return { prefix: schema.items, rest: schema.additionalItems ?? true }
  return { prefix: asList(schema.prefixItems), rest: schema.items ?? true }
}

function fitsObject(value: JsonObject, schema: JsonObject, check: Check): boolean {
  const names = Object.keys(value)
  const { minProperties, maxProperties, propertyNames } = schema
  if (typeof minProperties === 'number' && names.length < minProperties) return false
  if (typeof maxProperties === 'number' && names.length > maxProperties) return false
  if (!asList(schema.required).every(name => Object.hasOwn(value, name as string))) return false
  if (propertyNames !== undefined && !names.every(name => check(propertyNames, name))) return false
  for (const [name, others] of Object.entries(isObject(schema.dependentRequired) ? schema.dependentRequired : {}))
    if (Object.hasOwn(value, name) && !asList(others).every(other => Object.hasOwn(value, other as string))) return false
  for (const [name, part] of Object.entries(isObject(schema.dependentSchemas) ? schema.dependentSchemas : {}))
    if (Object.hasOwn(value, name) && !check(part)) return false
  return names.every(name => propertySchemas(schema, name).every(part => check(part, value[name])))
}

/** All schemas that hold for a property of this name. */
export function propertySchemas(schema: JsonObject, name: string): readonly unknown[] {
  const own = isObject(schema.properties) && Object.hasOwn(schema.properties, name) ? [schema.properties[name]] : []
  const patterns = Object.entries(isObject(schema.patternProperties) ? schema.patternProperties : {})
  const matching = patterns.filter(([pattern]) => matchesPattern(pattern, name)).map(([, part]) => part)
  const known = [...own, ...matching]
  return known.length > 0 ? known : [schema.additionalProperties ?? true]
}
