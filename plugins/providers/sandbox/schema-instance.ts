import { isDeepStrictEqual } from 'node:util'
import { ProviderFailure, type JsonObject } from '../../../core/index.ts'
import { asList, asSchema, fits, isObject, itemSchemas, propertySchemas, type JsonSchema } from './schema-check.ts'
import { numberInstance, stringInstance } from './schema-scalars.ts'
import { variants } from './schema-variants.ts'

/**
 * A value that is valid under the schema, always the same one. Optional properties are there where they can be, arrays have an item,
 * strings say the name of their property, and recursion goes one level down.
 */
export function schemaInstance(schema: JsonSchema): unknown {
  for (const minimal of [false, true]) {
    const value = new Instance(schema, minimal).make()
    if (value !== nothing) return value
  }
  throw new ProviderFailure({
    kind: 'invalid-request',
    status: 400,
    message: 'The sandbox found no value that is valid under the given JSON Schema.',
  })
}

const nothing = Symbol('nothing')

interface Place {
  /** The nearest property's name. */
  readonly name: string
  /** Tells apart the items of one array. */
  readonly variant: number
  readonly trail: readonly string[]
  readonly depth: number
}

const deepest = 30
const mostValues = 2000
const mostWork = 200_000
const mostListed = 100
const mostVariants = 64
/** How many values are tried of one shape, for what only a check can tell (`not`, `oneOf`). */
const tries = 4

class Instance {
  readonly #root: JsonSchema
  /** Only what must be there. */
  readonly #minimal: boolean
  readonly #work = { left: mostWork }
  #values = 0

  constructor(root: JsonSchema, minimal: boolean) {
    this.#root = root
    this.#minimal = minimal
  }

  make(): unknown {
    return this.#value(this.#root, { name: 'text', variant: 0, trail: [], depth: 0 })
  }

  #value(schema: JsonSchema, place: Place): unknown {
    if (place.depth > deepest) return nothing
    let count = 0
    for (const { shape, trail } of variants(schema, place.trail, { root: this.#root, endingFirst: this.#minimal, work: this.#work })) {
      if (count++ >= mostVariants) break
      for (let attempt = 0; attempt < tries; attempt++) {
        if (this.#values++ > mostValues) return nothing
        const value = this.#shaped(shape, { ...place, trail, variant: place.variant + attempt }, attempt)
        if (value !== nothing && this.#fits(value, schema)) return value
        if (value === nothing) break
      }
    }
    return nothing
  }

  #shaped(shape: JsonObject, place: Place, attempt: number): unknown {
    if ('const' in shape) return shape.const
    const { enum: listed, ...rest } = shape
    if (Array.isArray(listed)) {
      const usable = listed.slice(0, mostListed).filter(value => this.#fits(value, rest))
      return usable.length > 0 ? usable[place.variant % usable.length] : nothing
    }
    for (const type of typesOf(shape, attempt)) {
      const value = this.#typed(type, shape, place)
      if (value !== nothing) return value
    }
    for (const value of [shape.default, ...asList(shape.examples)]) if (value !== undefined && this.#fits(value, shape)) return value
    return nothing
  }

  #fits(value: unknown, schema: JsonSchema): boolean {
    return fits(value, schema, this.#root, this.#work)
  }

  #typed(type: unknown, shape: JsonObject, place: Place): unknown {
    switch (type) {
      case 'object':
        return this.#object(shape, place)
      case 'array':
        return this.#array(shape, place)
      case 'string':
        return stringInstance(shape, place.name, place.variant) ?? nothing
      case 'integer':
      case 'number':
        return numberInstance(shape, type === 'integer', place.variant) ?? nothing
      case 'boolean':
        return place.variant % 2 === 0
      case 'null':
        return null
      default:
        return nothing
    }
  }

  #object(shape: JsonObject, place: Place): unknown {
    const required = asList(shape.required).filter(name => typeof name === 'string')
    const declared = isObject(shape.properties) ? Object.keys(shape.properties) : []
    const most = typeof shape.maxProperties === 'number' ? shape.maxProperties : Infinity
    const least = typeof shape.minProperties === 'number' ? shape.minProperties : 0
    const members = new Map<string, unknown>()
    const add = (name: string): boolean => {
      const value = this.#value(both(propertySchemas(shape, name)), { ...place, name, depth: place.depth + 1 })
      if (value !== nothing) members.set(name, value)
      return value !== nothing
    }
    const order = [...declared, ...required.filter(name => !declared.includes(name))]
    let room = most - new Set(required).size
    for (const name of order) {
      if (required.includes(name)) {
        if (!add(name)) return nothing
      } else if ((!this.#minimal || members.size + room < least) && room > 0 && add(name)) room--
    }
    for (const name of declared) if (members.size < least && !members.has(name)) add(name)
    for (let count = 0; members.size < least; count++) {
      const name = this.#newName(shape, count)
      if (name === undefined || count > least + tries || !add(name)) return nothing
    }
    return Object.fromEntries(members)
  }

  /** A name for a property that the schema wants but does not declare. */
  #newName(shape: JsonObject, count: number): string | undefined {
    const [pattern] = Object.keys(isObject(shape.patternProperties) ? shape.patternProperties : {})
    if (shape.additionalProperties === false && pattern !== undefined) return stringInstance({ pattern }, 'property', count)
    if (shape.propertyNames === undefined) return `property${count + 1}`
    const name = this.#value(both([{ type: 'string' }, shape.propertyNames]), { name: 'property', variant: count, trail: [], depth: 1 })
    return typeof name === 'string' ? name : undefined
  }

  #array(shape: JsonObject, place: Place): unknown {
    const { prefix, rest } = itemSchemas(shape)
    const least = typeof shape.minItems === 'number' ? shape.minItems : 0
    const most = typeof shape.maxItems === 'number' ? shape.maxItems : Infinity
    const contained = shape.contains === undefined ? 0 : typeof shape.minContains === 'number' ? shape.minContains : 1
    const wanted = Math.min(most, Math.max(least, prefix.length + contained, this.#minimal || rest === true ? 0 : 1))
    const items: unknown[] = []
    for (let variant = 0; items.length < wanted; variant++) {
      const index = items.length
      const schemas = [index < prefix.length ? prefix[index] : rest]
      if (index >= prefix.length && index < prefix.length + contained) schemas.push(shape.contains)
      const item = this.#value(both(schemas), { ...place, variant: place.variant + variant, depth: place.depth + 1 })
      const repeated = shape.uniqueItems === true && items.some(earlier => isDeepStrictEqual(earlier, item))
      if (item !== nothing && !repeated) items.push(item)
      else if (item === nothing || variant > wanted + tries * 4) return index >= least ? items : nothing
    }
    return items
  }
}

function both(schemas: readonly unknown[]): JsonSchema {
  return schemas.length === 1 ? (asSchema(schemas[0]) ?? true) : { allOf: schemas }
}

const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
}

/** `null` only where nothing else is possible; each attempt begins with another type. */
function typesOf(shape: JsonObject, attempt: number): readonly unknown[] {
  const types = typeof shape.type === 'string' ? [shape.type] : asList(shape.type)
  if (types.length > 0) return rotated([...types.filter(type => type !== 'null'), ...types.filter(type => type === 'null')], attempt)
  const implied = Object.keys(keywordsOfType).filter(type => keywordsOfType[type]!.some(keyword => keyword in shape))
  return rotated([...implied, 'string', 'object', 'integer', 'boolean', 'null', 'array'], attempt)
}

function rotated(types: readonly unknown[], by: number): readonly unknown[] {
  const start = by % types.length
  return [...types.slice(start), ...types.slice(0, start)]
}
