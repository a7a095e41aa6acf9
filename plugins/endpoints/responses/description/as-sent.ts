import type { JsonObject } from '../../../../core/index.ts'
import { orNull } from './terms.ts'

type Schemas = Readonly<Record<string, JsonObject>>

/** Turns a schema of the normalized request into a schema of what clients may send: every optional member may also be null. */
export function asSent(schema: JsonObject): JsonObject {
  // The variants themselves have what distinguishes them, so `discriminator` can go.
  const { discriminator: _, oneOf, ...sent } = schema as Parts
  const { required = [], properties, items, additionalProperties, then, anyOf } = sent
  return {
    ...sent,
    ...(properties && {
      properties: mapped(properties, (member, name) => (required.includes(name) ? asSent(member) : orNull(asSent(member)))),
    }),
    ...(items && { items: asSent(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: asSent(additionalProperties) }),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ...(then && { then: branch(then) }),
    ...(anyOf && { anyOf: anyOf.map(branch) }),
    ...(oneOf && { [isRule(oneOf) ? 'oneOf' : 'anyOf']: oneOf.map(branch) }),
  }
}

interface Parts extends JsonObject {
  readonly required?: readonly string[]
  readonly properties?: Schemas
  readonly items?: JsonObject
  readonly additionalProperties?: JsonObject | boolean
  readonly then?: JsonObject
  readonly anyOf?: readonly JsonObject[]
  readonly oneOf?: readonly JsonObject[]
}

/** `{required: ['file_id']}`, a member that is required under a condition. A null does not count. */
function branch(schema: JsonObject): JsonObject {
  if (!isRule([schema])) return asSent(schema)
  const required = schema['required'] as readonly string[]
  return { required, properties: Object.fromEntries(required.map(name => [name, { not: { type: 'null' } }])) }
}

function isRule(branches: readonly JsonObject[]): boolean {
  return branches.every(branch => 'required' in branch && !('type' in branch))
}

function mapped(schemas: Schemas, change: (schema: JsonObject, name: string) => JsonObject): Schemas {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema, name)]))
}
