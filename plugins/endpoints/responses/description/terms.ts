import type { JsonObject } from '../../../../core/index.ts'

// Building blocks of the schemas in this folder.

export const string = { type: 'string' } as const
export const number = { type: 'number' } as const
export const boolean = { type: 'boolean' } as const
export const anyObject = { type: 'object' } as const
export const count = { type: 'integer', minimum: 0 } as const

type Members = Readonly<Record<string, JsonObject>>

/** An object with required and optional members. */
export function object(always: Members, sometimes: Members = {}): JsonObject {
  return { type: 'object', required: Object.keys(always), properties: { ...always, ...sometimes } }
}

export function list(items: JsonObject): JsonObject {
  return { type: 'array', items }
}

export function constant(value: string): JsonObject {
  return { type: 'string', const: value }
}

export function oneOf(...values: readonly (string | null)[]): JsonObject {
  return { enum: values }
}

/** Keywords that would refuse a null even if the type allows it. */
const narrowing = ['const', 'enum', 'anyOf', 'oneOf', 'not']

export function orNull(schema: JsonObject): JsonObject {
  const { type } = schema
  return typeof type === 'string' && !narrowing.some(keyword => keyword in schema)
    ? { ...schema, type: [type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** Schemas by name, and a schema that matches any of them. */
export function union(name: string, variants: Members): Members {
  return { ...variants, [name]: { anyOf: Object.keys(variants).map(ref) } }
}

/** `function_call_output` as `FunctionCallOutput`. */
export function pascal(words: string): string {
  return words.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
}
