import type { Node } from './declaration-source.ts'

/** A member of a type, at any depth of its objects. */
export interface DeclaredMember {
  /** Such as `now`, or `hint.path`. */
  readonly path: string
  readonly doc: string
  /** The version since which it exists, if its comment says so. */
  readonly since: string | undefined
  /** A member that explains itself, such as the `type` that tells the parts of a union apart. */
  readonly plain: boolean
}

/** A name that a door exports, or that one of its types shows. */
export interface DeclaredName {
  readonly name: string
  readonly kind: 'class' | 'function' | 'type' | 'value'
  readonly doc: string
  /** The version since which it exists, if its comment says so. */
  readonly since: string | undefined
  /** Its declaration without comments. */
  readonly text: string
  readonly members: readonly DeclaredMember[]
}

const sinceTag = /\s*@since (\d\S*)/

export function declaredName(name: string, text: string, statements: readonly Node[]): DeclaredName {
  const parts = statements.map(statement => (statement['declaration'] as Node | null | undefined) ?? statement)
  const docs = statements.map(({ start }) => docBefore(text, start)).filter(doc => doc !== '')
  const kind = kindOf(parts)
  const members = parts.flatMap(part => membersIn(part, text, ''))
  return {
    name,
    kind,
    doc: [...new Set(docs)].join('\n\n').replace(sinceTag, '').trim(),
    since: sinceTag.exec(docs.join('\n'))?.[1],
    text: statements.map(({ start, end }) => withoutComments(text.slice(start, end))).join('\n'),
    members: kind === 'value' ? members.map(member => ({ ...member, plain: member.plain || inSchema(member.path, members) })) : members,
  }
}

const schemaWord =
  /^(\$ref|additionalProperties|anyOf|const|default|description|discriminator|else|enum|format|if|items|max\w+|min\w+|not|oneOf|pattern|prefixItems|properties|required|then|type|uniqueItems)$/

/** A word of JSON Schema, or a property that its schema describes. */
function inSchema(path: string, members: readonly DeclaredMember[]): boolean {
  const [word = '', outer] = path.split('.').reverse()
  return (schemaWord.test(word) && outer !== 'properties') || members.some(each => each.path === `${path}.description`)
}

function kindOf(parts: readonly Node[]): DeclaredName['kind'] {
  const types = parts.map(({ type }) => type)
  if (types.includes('ClassDeclaration')) return 'class'
  if (types.some(type => /Function/.test(type))) return 'function'
  return types.some(type => /Interface|Alias/.test(type)) ? 'type' : 'value'
}

/** The doc comment that ends directly before a place. */
function docBefore(text: string, start: number): string {
  const [, comment] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(text.slice(0, start)) ?? []
  return (comment ?? '').replace(/^\s*\* ?/gm, '').trim()
}

function withoutComments(text: string): string {
  return text
    .replace(/^\s*\/\*\*(?:(?!\*\/)[^])*\*\/\n?/gm, '')
    .replace(/ *\/\*\*(?:(?!\*\/)[^])*\*\//g, '')
    .replace(/^\s*#private;\n/gm, '')
    .replace(/\bimport\("\.[^"]*"\)\./g, '')
    .replace(/^export (declare )?|^declare /, '')
    .replaceAll('    ', '  ')
}

function membersIn(node: Node, text: string, prefix: string): readonly DeclaredMember[] {
  const nested = (value: unknown): readonly DeclaredMember[] => {
    if (Array.isArray(value)) return value.flatMap(nested)
    return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
      ? membersIn(value as Node, text, prefix)
      : []
  }
  if (
    /^(TSPropertySignature|TSMethodSignature|PropertyDefinition|MethodDefinition|TSAbstract\w+Definition|AccessorProperty)$/.test(node.type)
  ) {
    const key = node['key'] as Key
    if (key.type === 'PrivateIdentifier' || node['accessibility'] === 'private' || node['kind'] === 'constructor') return []
    const path = `${prefix}${nameOf(key, text)}`
    const type = node['typeAnnotation'] as { readonly typeAnnotation?: Node } | null | undefined
    const plain = [type?.typeAnnotation?.type, (node['value'] as Node | null | undefined)?.type].some(each =>
      /^(TSLiteralType|Literal)$/.test(each ?? ''),
    )
    const doc = docBefore(text, node.start)
    const own = { path, doc: doc.replace(sinceTag, '').trim(), since: sinceTag.exec(doc)?.[1], plain }
    return [own, ...(type?.typeAnnotation ? objectsOf(type.typeAnnotation).flatMap(each => membersIn(each, text, `${path}.`)) : [])]
  }
  if (node.type === 'TSFunctionType' || node.type === 'FunctionDeclaration' || node.type === 'TSDeclareFunction') return []
  // The pattern of a conditional type describes nothing that anybody has.
  return Object.entries(node).flatMap(([name, value]) => (name === 'extendsType' ? [] : nested(value)))
}

type Key = Node & { readonly name?: string; readonly value?: unknown }

function nameOf(key: Key, text: string): string {
  if (key.type === 'MemberExpression') return `[${text.slice(key.start, key.end)}]`
  return key.name ?? String(key.value)
}

/** The objects that a type consists of: itself, or the parts of a union or of an array. */
function objectsOf(type: Node): readonly Node[] {
  if (type.type === 'TSTypeLiteral') return [type]
  const parts = (type['types'] ?? type['elementType'] ?? (type.type === 'TSTypeOperator' ? type['typeAnnotation'] : [])) as
    | Node
    | readonly Node[]
  return [parts].flat().flatMap(objectsOf)
}
