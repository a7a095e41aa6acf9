import type { Item, Part, Vendor } from '../contracts/items.ts'
import type { GenerationRequest } from '../contracts/request.ts'

/** What a request lost with its extras. */
export interface Losses {
  /** The names of top-level members. */
  readonly members: readonly string[]
  /** The types of items, parts and tools, in the words of the caller's dialect, and the names of their members. */
  readonly within: { readonly input: ReadonlySet<string>; readonly tools: ReadonlySet<string> }
}

/** The request without everything that only the dialect of the caller can say: see `GenerationRequest.extra`. Copies what changes. */
export function withoutExtras<R extends Pick<GenerationRequest, 'extra' | 'input' | 'tools'>>(request: R): { request: R; losses: Losses } {
  const { extra, ...known } = request
  const input = new Set<string>()
  const tools = new Set<string>()
  const items = known.input.flatMap(item => {
    const plain = plainOf(item, input)
    return plain.length === 0 ? [] : [withPlainParts(plain[0]!, input)]
  })
  const offered = known.tools?.flatMap(tool => plainOf(tool, tools))
  return {
    request: { ...known, input: items, ...(offered && { tools: offered }) } as unknown as R,
    losses: { members: Object.keys(extra?.fields ?? {}), within: { input, tools } },
  }
}

function plainOf<T extends { readonly type: string }>(value: T, lost: Set<string>): readonly T[] {
  const { extra } = value as { readonly extra?: Vendor['extra'] }
  if (extra === undefined) return [value]
  if (value.type === 'vendor') {
    lost.add(typeof extra['type'] === 'string' ? extra['type'] : (Object.keys(extra)[0] ?? 'vendor'))
    return []
  }
  // A whole part in the words of the dialect. Without it, the request says nearly the same.
  if (typeof extra['type'] === 'string') lost.add(extra['type'])
  else for (const name of Object.keys(extra)) if (name !== 'cache_control') lost.add(name)
  const { extra: _, ...plain } = value as T & { readonly extra: unknown }
  return [plain as unknown as T]
}

function withPlainParts(item: Item, lost: Set<string>): Item {
  if (item.type === 'message') return withParts(item, 'content', item.content, lost)
  if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') return item
  return typeof item.output === 'string' ? item : withParts(item, 'output', item.output, lost)
}

function withParts(item: Item, member: 'content' | 'output', parts: readonly Part[], lost: Set<string>): Item {
  if (!parts.some(part => 'extra' in part)) return item
  return { ...item, [member]: parts.flatMap(part => plainOf(part, lost)) } as Item
}
