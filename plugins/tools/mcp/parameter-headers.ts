import { isObject, type JsonObject } from '../../../core/index.ts'

// SEP-2243: a schema can name headers that repeat arguments of a call. Clients must not offer a tool that does so in a wrong way.

const keyword = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
const maxLevels = 64

/** True if the schema of a tool names headers as the protocol allows, or none. */
export function hasValidHeaders(schema: JsonObject): boolean {
  const seen = new Set<string>()
  const isProperty = ({ [keyword]: header, type }: JsonObject): boolean => {
    if (typeof header !== 'string' || !token.test(header) || !types.has(type) || seen.has(header.toLowerCase())) return false
    seen.add(header.toLowerCase())
    return true
  }
  /** `isReached`: by `properties` alone. */
  const isValid = (node: unknown, isReached: boolean, level: number): boolean => {
    if (level > maxLevels) return false
    if (Array.isArray(node)) return node.every(each => isValid(each, false, level + 1))
    if (!isObject(node)) return true
    if (keyword in node && (!isReached || !isProperty(node))) return false
    return Object.entries(node).every(([name, member]) => {
      if (name !== 'properties' || !isObject(member)) return name === 'enum' || name === 'const' || isValid(member, false, level + 1)
      return Object.values(member).every(each => isValid(each, isReached, level + 1))
    })
  }
  if (keyword in schema) return false
  return isValid(schema, true, 0)
}
