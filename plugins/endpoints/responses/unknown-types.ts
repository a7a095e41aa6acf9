import { isObject } from '../../../core/index.ts'
import { itemSchema, toolSchema } from '../../../core/kit.ts'

/** Others are mistakes. They become parts of headers and messages. */
export const plainType = /^[A-Za-z][\w.:-]{0,63}$/

const items = typesOf(itemSchema.oneOf)
const tools = typesOf(toolSchema.oneOf)

/** An entry of `tools` that the schema of a request allows. */
export const anyTool = { type: 'mcp' } as const
const anyItem = { type: 'program' } as const

/**
 * The request without the items and tools of types that are unknown here: docs/protocol/items.md#input-items. Upstreams may know them.
 * Undefined if there are none.
 */
export function withoutUnknownTypes({ input, tools: given, ...request }: Record<string, unknown>): Record<string, unknown> | undefined {
  const isUnknownItem = (item: unknown): boolean => isUnknown(item, items)
  const isUnknownTool = (tool: unknown): boolean => isUnknown(tool, tools)
  const hasItems = Array.isArray(input) && input.some(isUnknownItem)
  const hasTools = Array.isArray(given) && given.some(isUnknownTool)
  if (!hasItems && !hasTools) return undefined
  return {
    ...request,
    input: hasItems ? input.map(item => (isUnknownItem(item) ? anyItem : item)) : input,
    ...(given !== undefined && { tools: hasTools ? given.map(tool => (isUnknownTool(tool) ? anyTool : tool)) : given }),
  }
}

/** `vendor` is a word of the gateway for what other surfaces send. */
function isUnknown(value: unknown, known: ReadonlySet<unknown>): boolean {
  if (!isObject(value)) return false
  const { type } = value
  return typeof type === 'string' && type !== 'vendor' && !known.has(type) && plainType.test(type)
}

type Variant = { readonly properties: { readonly type: { readonly const: string } | { readonly enum: readonly string[] } } }

function typesOf(variants: readonly Variant[]): ReadonlySet<string> {
  return new Set(variants.flatMap(({ properties: { type } }) => ('const' in type ? [type.const] : type.enum)))
}
