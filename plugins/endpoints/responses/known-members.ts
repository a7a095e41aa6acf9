import { isObject, type JsonObject } from '../../../core/index.ts'
import { requestSchema, toolSchema } from '../../../core/kit.ts'

/** The members of an object by their names, with those of the objects among them. */
export type KnownMembers = ReadonlyMap<string, KnownMembers | undefined>

export const routingMembers = membersIn(requestSchema.properties.routing)!

/** By the type of the tool. Tools that only one dialect knows have any members. */
export const toolMembers: ReadonlyMap<string, KnownMembers> = new Map(
  toolSchema.oneOf.flatMap(({ properties }) => ('const' in properties.type ? [[properties.type.const, membersIn({ properties })!]] : [])),
)

/** Members that some vendors know, and that reach them. */
export const vendorMembers: ReadonlySet<string> = new Set([
  'allowed_callers',
  'async',
  'defer_loading',
  'output_schema',
  'return_token_budget',
  'search_content_types',
])

/** Names that other gateways and vendors have for what is here, by the path of it in `routing` or in a tool. */
export const counterparts: ReadonlyMap<string, string> = new Map([
  ['order', 'provider.fallbacks'],
  ['models', 'model.fallbacks'],
  ['include_domains', 'filters.allowed_domains'],
  ['excluded_domains', 'filters.blocked_domains'],
  ['exclude_domains', 'filters.blocked_domains'],
  ['max_results', 'search_context_size'],
])

function membersIn(schema: object): KnownMembers | undefined {
  const { properties } = schema as { readonly properties?: JsonObject }
  if (!properties) return undefined
  return new Map(Object.entries(properties).map(([name, member]) => [name, isObject(member) ? membersIn(member) : undefined]))
}
