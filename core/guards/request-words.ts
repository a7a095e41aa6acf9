import { requestSchema } from '../contracts/request.ts'

// The parts of a request that are not text from the caller, read from its schema, so that a new member is searched unless the schema says
// otherwise.

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

interface Vocabulary {
  /** For each member, the words of the protocol that are its values: `role` has `user`. */
  readonly words: Map<string, Set<unknown>>
  /** Members whose values are numbers of the protocol. */
  readonly numbers: Set<string>
  readonly names: Set<string>
}

let known: Vocabulary | undefined

/** Read when the first request is searched. */
function vocabulary(): Vocabulary {
  if (known) return known
  known = { words: new Map(), numbers: new Set(), names: new Set(schemaNames.split(' ')) }
  read(requestSchema as SchemaNode, '', known)
  return known
}

function read(schema: SchemaNode, member: string, into: Vocabulary): void {
  const { words, numbers, names } = into
  for (const value of schema.const === undefined ? (schema.enum ?? []) : [schema.const]) {
    if (!words.has(member)) words.set(member, new Set())
    words.get(member)!.add(value)
  }
  if (schema.type === 'integer' || schema.type === 'number') numbers.add(member)
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    names.add(name)
    read(inner, name, into)
  }
  for (const inner of [schema.additionalProperties, schema.items, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])])
    if (typeof inner === 'object') read(inner, member, into)
}

/** The members of JSON Schema that most schemas of tools have. */
const schemaNames =
  '$defs $ref $schema additionalProperties allOf anyOf const default description enum examples format items maxItems maxLength maximum minItems minLength minimum not nullable oneOf pattern properties required strict title type uniqueItems'
const schemaTypes = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** True for a word of the protocol in its place, which is never text from the caller. */
export function isProtocolWord(member: string, value: unknown): boolean {
  return vocabulary().words.get(member)?.has(value) === true || (member === 'type' && schemaTypes.has(value))
}

export function isProtocolNumber(member: string): boolean {
  return vocabulary().numbers.has(member)
}

/** The name of a member that the protocol or JSON Schema knows. */
export function isProtocolName(name: string): boolean {
  return vocabulary().names.has(name)
}
