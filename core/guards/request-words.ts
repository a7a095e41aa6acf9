import { requestSchema } from '../contracts/request.ts'

// What a request holds besides text of the caller, read from its schema, so that a new member is searched unless the schema says otherwise.

interface SchemaNode {
  readonly type?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode
  readonly items?: SchemaNode
  readonly oneOf?: readonly SchemaNode[]
  readonly anyOf?: readonly SchemaNode[]
}

/** For each member, the words of the protocol that are its values: `role` has `user`. */
const words = new Map<string, Set<unknown>>()
/** Members whose values are numbers of the protocol. */
const numbers = new Set<string>()
const names = new Set<string>()

function read(schema: SchemaNode, member: string): void {
  for (const value of schema.const === undefined ? (schema.enum ?? []) : [schema.const]) {
    if (!words.has(member)) words.set(member, new Set())
    words.get(member)!.add(value)
  }
  if (schema.type === 'integer' || schema.type === 'number') numbers.add(member)
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    names.add(name)
    read(inner, name)
  }
  for (const inner of [schema.additionalProperties, schema.items, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])])
    if (typeof inner === 'object') read(inner, member)
}
read(requestSchema as SchemaNode, '')

/** The members of JSON Schema that most schemas of tools have. */
const schemaNames =
  '$defs $ref $schema additionalProperties allOf anyOf const default description enum examples format items maxItems maxLength maximum minItems minLength minimum not nullable oneOf pattern properties required strict title type uniqueItems'
for (const name of schemaNames.split(' ')) names.add(name)
const schemaTypes = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** A word of the protocol in its place, which is never text of the caller. */
export function isProtocolWord(member: string, value: unknown): boolean {
  return words.get(member)?.has(value) === true || (member === 'type' && schemaTypes.has(value))
}

export function isProtocolNumber(member: string): boolean {
  return numbers.has(member)
}

/** The name of a member that the protocol or JSON Schema knows. */
export function isProtocolName(name: string): boolean {
  return names.has(name)
}
