import type { ExtendedJSONSchema, FromExtendedSchema } from 'json-schema-to-ts'

type SchemaExtension = {
  /** For Ajv: the member that selects the variant of a `oneOf`. */
  readonly discriminator: { readonly propertyName: string }
}

/** JSON Schema as used in this project. */
export type Schema = ExtendedJSONSchema<SchemaExtension>

/** A JSON object with unchecked members. */
export type JsonObject = Readonly<Record<string, unknown>>

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: 1 }

/** The data that a schema describes: read-only, and with known members only, although more are allowed on the wire. */
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

/** The value of a JSON text. Undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** True if `JSON.parse` accepts the text. */
export function isJson(text: string): boolean {
  return parseJson(text) !== undefined
}

/** An object that is neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object as a literal or `JSON.parse` makes it: not of a class, such as `Map` or `Error`. */
export function isPlainObject(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The value if it is an object, else an empty one. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
