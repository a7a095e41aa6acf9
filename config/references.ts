import { isObject } from '../core/foundation/json.ts'
import { optionalEnv, requiredEnv } from './env.ts'

/** `$${` stands for `${` itself. */
const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g
const whole = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}$/

/** Says where a value is in the file, for the error about a variable that is not set. */
export type PlaceOf = (path: readonly (string | number)[]) => string

/**
 * The value with its references replaced: `${NAME}` by the environment variable, which must be set, and `${NAME:-text}` by the text if it is
 * not. An option that is `${NAME:-}` alone is then left out. Where the schema wants a number or a boolean, the text becomes one.
 */
export function withVariables(value: unknown, schema: unknown, placeOf: PlaceOf, path: readonly (string | number)[] = []): unknown {
  if (typeof value === 'string') return resolved(value, schema, placeOf(path))
  if (Array.isArray(value)) return value.map((each, index) => withVariables(each, member(schema, 0), placeOf, [...path, index]))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, each]) => [name, withVariables(each, member(schema, name), placeOf, [...path, name])])
  return Object.fromEntries(members.filter(([, each]) => each !== undefined))
}

function resolved(text: string, schema: unknown, place: string): unknown {
  const [, name, fallback] = whole.exec(text) ?? []
  if (name !== undefined) {
    const value = valueOf(name, fallback, place)
    return value === '' && fallback === '' ? undefined : converted(value, schema)
  }
  return text.replaceAll(reference, (found: string, variable?: string, otherwise?: string) =>
    variable === undefined ? found.slice(1) : valueOf(variable, otherwise, place),
  )
}

function valueOf(name: string, fallback: string | undefined, place: string): string {
  if (fallback !== undefined) return optionalEnv(name) ?? fallback
  return requiredEnv(name, `${place} refers to it. Set it, or write \${${name}:-} if the option may be left out.`)
}

/** A text that is no number stays, so that the check of the options says what was expected. */
function converted(text: string, schema: unknown): unknown {
  const types = typesOf(schema)
  if (types.includes('string')) return text
  const isNumber = types.includes('integer') || types.includes('number')
  if (isNumber && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  return types.includes('boolean') && /^(true|false)$/.test(text) ? text === 'true' : text
}

function typesOf(schema: unknown): readonly unknown[] {
  if (!isObject(schema)) return []
  const { type, anyOf, const: only } = schema
  return [type, typeof only]
    .flat()
    .concat(Array.isArray(anyOf) ? anyOf.filter(each => !isObject(each) || !('const' in each)).flatMap(typesOf) : [])
}

function member(schema: unknown, name: string | 0): unknown {
  if (!isObject(schema)) return undefined
  const { properties, items, additionalProperties, anyOf } = schema
  const own = name === 0 ? items : isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
  if (isObject(own)) return own
  return Array.isArray(anyOf) ? anyOf.map(form => member(form, name)).find(isObject) : undefined
}
