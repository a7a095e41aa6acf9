import type { ExtendedJSONSchema, FromExtendedSchema } from 'json-schema-to-ts'

type SchemaExtension = {
  /** ajv: the member that tells the variants of a `oneOf` apart. */
  readonly discriminator: { readonly propertyName: string }
}

/** JSON Schema, as this project writes it. */
export type Schema = ExtendedJSONSchema<SchemaExtension>

/** A JSON object whose members nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Something that may or may not need waiting for. */
export type Maybe<T> = T | Promise<T>

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: 1 }

/** The type of data that a schema describes: read-only, with the known members only, though more are tolerated on the wire. */
export type Wire<S extends Schema> = Known<FromExtendedSchema<SchemaExtension, S>>
type Known<T> = T extends readonly (infer U)[]
  ? readonly Known<U>[]
  : T extends object
    ? [KnownKeys<T>] extends [never]
      ? T extends Record<string, infer V>
        ? Readonly<Record<string, V>>
        : T
      : { readonly [K in keyof T as string extends K ? never : K]: Known<T[K]> }
    : T

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isJson(text: string): boolean {
  return parseJson(text) !== undefined
}

/** Neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value if it is an object, else an empty one. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
