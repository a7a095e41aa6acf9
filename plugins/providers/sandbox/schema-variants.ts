import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../core/index.ts'
import { asList, asSchema, isObject, resolveReference, type JsonSchema, type Work } from './schema-check.ts'

/** A schema without references and combinations, and the references followed to get there. */
export interface Variant {
  readonly shape: JsonObject
  readonly trail: readonly string[]
}

export interface VariantOptions {
  readonly root: JsonSchema
  /** Branches that end are tried before branches that may recurse. */
  readonly endingFirst: boolean
  readonly work: Work
}

/** How often one reference may lie within itself. */
const mostVisits = 2

/** Every way of choosing branches, in the order of the schema. Merging is generous: a value made from a shape is still to be checked. */
export function* variants(schema: JsonSchema, trail: readonly string[], options: VariantOptions): Generator<Variant> {
  if (schema === false || options.work.left-- <= 0) return
  if (schema === true) return yield { shape: {}, trail }
  const { $ref, allOf, anyOf, oneOf, if: condition, then, else: otherwise, not: _, ...own } = schema
  const groups: JsonSchema[][] = []
  let followed = trail
  if (typeof $ref === 'string') {
    const target = resolveReference(options.root, $ref)
    if (target === undefined || trail.filter(each => each === $ref).length >= mostVisits) return
    followed = [...trail, $ref]
    groups.push([target])
  }
  for (const part of asList(allOf)) groups.push([asSchema(part) ?? true])
  for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) groups.push(ordered(branches, options))
  if (condition !== undefined)
    groups.push([{ allOf: [condition, then ?? true] }, ...(otherwise === undefined ? [true] : [asSchema(otherwise) ?? true])])
  yield* product({ shape: own, trail: followed }, groups, options)
}

function ordered(branches: readonly unknown[], { endingFirst }: VariantOptions): JsonSchema[] {
  const schemas = branches.map(branch => asSchema(branch) ?? true)
  if (!endingFirst) return schemas
  const refers = (schema: JsonSchema): boolean => isObject(schema) && JSON.stringify(schema).includes('"$ref"')
  return [...schemas.filter(schema => !refers(schema)), ...schemas.filter(refers)]
}

function* product(base: Variant, groups: readonly JsonSchema[][], options: VariantOptions): Generator<Variant> {
  const [group, ...rest] = groups
  if (!group) return yield base
  for (const branch of group)
    for (const { shape, trail } of variants(branch, base.trail, options)) {
      const merged = merge(base.shape, shape)
      if (merged) yield* product({ shape: merged, trail }, rest, options)
    }
}

const larger = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'])
const smaller = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'])

/** Both at once; undefined where they exclude each other at sight. */
function merge(left: JsonObject, right: JsonObject): JsonObject | undefined {
  const merged = new Map(Object.entries(left))
  for (const [keyword, value] of Object.entries(right)) {
    const combined = merged.has(keyword) ? combine(keyword, merged.get(keyword), value) : value
    if (combined === undefined) return undefined
    merged.set(keyword, combined)
  }
  return Object.fromEntries(merged)
}

function combine(keyword: string, left: unknown, right: unknown): unknown {
  if (isDeepStrictEqual(left, right)) return left
  if (larger.has(keyword)) return Math.max(left as number, right as number)
  if (smaller.has(keyword)) return Math.min(left as number, right as number)
  switch (keyword) {
    case 'const':
      return undefined
    case 'type':
      return commonTypes([left].flat(), [right].flat())
    case 'enum':
      return nonEmpty(asList(left).filter(each => asList(right).some(other => isDeepStrictEqual(each, other))))
    case 'required':
      return [...new Set([...asList(left), ...asList(right)])]
    case 'properties':
    case 'patternProperties':
      return unite(left as JsonObject, right as JsonObject)
    case 'items':
    case 'additionalProperties':
    case 'propertyNames':
      return { allOf: [left, right] }
    case 'multipleOf':
      return multiple(left as number, right as number)
    default:
      return left
  }
}

function commonTypes(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] | undefined {
  const narrow = (types: readonly unknown[], others: readonly unknown[]): unknown[] =>
    types.filter(type => others.includes(type) || (type === 'integer' && others.includes('number')))
  return nonEmpty([...new Set([...narrow(left, right), ...narrow(right, left)])])
}

function nonEmpty(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length > 0 ? list : undefined
}

function unite(left: JsonObject, right: JsonObject): JsonObject {
  const united = new Map(Object.entries(left))
  for (const [name, schema] of Object.entries(right)) united.set(name, united.has(name) ? { allOf: [united.get(name), schema] } : schema)
  return Object.fromEntries(united)
}

function multiple(left: number, right: number): number {
  const [small, large] = left < right ? [left, right] : [right, left]
  for (let count = 1; count <= 1000; count++) if (Number.isInteger((large * count) / small)) return large * count
  return large
}
