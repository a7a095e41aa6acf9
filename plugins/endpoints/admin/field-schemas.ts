import type { JsonObject } from '../../../core/index.ts'
import type { Field, Fields } from '../../../core/stores.ts'
import { shownName, textSchema } from '../../../core/admin.ts'

type OwnSchemas = Readonly<Record<string, JsonObject>>

/** The JSON Schema of a body that sets these fields. Null removes one that may be missing. `own`: the schemas of JSON. */
export function bodySchema(fields: Fields, own: OwnSchemas, required: readonly string[] = []): JsonObject {
  const properties = propertiesOf(fields, (name, field) => own[name] ?? sentSchema(field))
  return { type: 'object', ...(required.length > 0 && { required }), additionalProperties: false, properties }
}

/** The JSON Schema of an object as the API shows it. */
export function shownSchema(fields: Fields, object?: string): JsonObject {
  const properties = { ...(object && { object: { const: object } }), ...propertiesOf(fields, (_, field) => shownValue(field)) }
  return { type: 'object', required: Object.keys(properties), properties }
}

function propertiesOf(fields: Fields, schemaOf: (name: string, field: Field) => JsonObject): Readonly<Record<string, JsonObject>> {
  const properties = Object.entries(fields).flatMap(([name, field]) => {
    const shown = shownName(name, field)
    return shown === null ? [] : [[shown, { ...schemaOf(name, field), description: field.about }] as const]
  })
  return Object.fromEntries(properties)
}

function sentSchema(field: Field): JsonObject {
  const { type, choices, optional, schema } = field
  if (choices) return { enum: optional ? [...choices, null] : choices }
  const ofLists = type === 'names' && { maxItems: 1_000, uniqueItems: true, items: { type: 'string', minLength: 1, maxLength: 300 } }
  return { ...orNull(field, optional), ...ofLists, ...(schema ?? (type === 'text' && textSchema)) }
}

function shownValue(field: Field): JsonObject {
  const { choices, optional, ifMissing } = field
  const isNullable = optional && ifMissing === undefined
  if (choices) return { enum: isNullable ? [...choices, null] : choices }
  return { ...orNull(field, isNullable), ...(field.type === 'names' && { items: { type: 'string' } }) }
}

function orNull({ type }: Field, isNullable: boolean | undefined): JsonObject {
  const json = jsonTypes[type as keyof typeof jsonTypes] as string | undefined
  return json === undefined ? {} : { type: isNullable ? [json, 'null'] : json }
}

const jsonTypes = { text: 'string', integer: 'integer', number: 'number', time: 'string', flag: 'boolean', names: 'array' } as const
