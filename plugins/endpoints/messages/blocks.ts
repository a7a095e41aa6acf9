import { isObject, type Item, type JsonObject } from '../../../core/index.ts'
import type { InputPart, OutputTextPart, Part, TextPart, WithExtra } from '../../../core/kit.ts'
import { searchIdPrefix } from './search-block.ts'
import { compactionState, reasoningOf } from './signature.ts'
import type { Block, WireMessage } from './request-body.ts'

/** The items of a turn. Content that has no neutral form becomes a `vendor` part, in its place. */
export function addItems({ role, content }: WireMessage, items: Item[]): void {
  if (typeof content === 'string') {
    items.push({ type: 'message', role, content: [textPart(role, content)] })
    return
  }
  let parts: Part[] = []
  const flush = (): void => {
    if (parts.length > 0) items.push({ type: 'message', role, content: parts })
    parts = []
  }
  for (const block of content) {
    const item = itemOf(block)
    if (item === undefined) parts.push(partOf(block, role))
    else {
      flush()
      if (item) items.push(item)
    }
  }
  flush()
}

/** The text blocks of `system`. */
export function textParts(blocks: readonly Block[]): readonly Part[] {
  return blocks.map(block => partOf(block, 'system'))
}

/** Undefined for a block that is part of a message, null for one that is left out. */
function itemOf(block: Block): Item | null | undefined {
  switch (block.type) {
    case 'text':
      return undefined
    case 'tool_use':
      return {
        type: 'function_call',
        call_id: block['id'] as string,
        name: block['name'] as string,
        arguments: JSON.stringify(block['input'] ?? {}),
        ...rest(block, toolUseMembers),
      }
    case 'tool_result':
      return {
        type: 'function_call_output',
        call_id: block['tool_use_id'] as string,
        output: outputOf(block['content'] as string | readonly Block[] | null | undefined),
        ...(block['is_error'] === true && { status: 'failed' as const }),
        ...rest(block, toolResultMembers),
      }
    case 'thinking':
      return reasoningOf(block['thinking'] as string, (block['signature'] as string | null | undefined) ?? undefined)
    case 'redacted_thinking':
      return reasoningOf('', block['data'] as string)
    case 'server_tool_use':
      return isOurs(block['id']) ? searchItem(block) : undefined
    case 'web_search_tool_result':
      return isOurs(block['tool_use_id']) ? null : undefined
    case 'compaction': {
      const state = compactionState(block)
      return state === undefined ? undefined : { type: 'compaction', encrypted_content: state }
    }
    default:
      return undefined
  }
}

const toolUseMembers = new Set(['type', 'id', 'name', 'input'])
const toolResultMembers = new Set(['type', 'tool_use_id', 'content', 'is_error'])
const textMembers = new Set(['type', 'text', 'cache_control'])
const imageMembers = new Set(['type', 'source', 'cache_control'])
const documentMembers = new Set(['type', 'source', 'title', 'cache_control'])

function outputOf(content: string | readonly Block[] | null | undefined): string | readonly InputPart[] {
  if (typeof content === 'string') return content
  return content?.map(block => partOf(block, 'user') as InputPart) ?? ''
}

function partOf(block: Block, role: WireMessage['role']): Part {
  const { type } = block
  if (type === 'text') return withMembers(textPart(role, block['text'] as string), block, textMembers)
  const source = block['source'] as JsonObject
  if (type === 'image') {
    const url = urlOf(source)
    if (url) return withMembers({ type: 'input_image', ...('file_id' in url ? url : { image_url: url.url }) }, block, imageMembers)
  } else if (type === 'document') {
    const part = documentPart(source, block)
    if (part) return part
  } else if (type === 'search_result') {
    const { title, content } = block
    const head = `${String(title)}\n${String(block['source'])}`
    return { type: 'input_text', text: [head, ...textsOf(content)].join('\n\n'), ...cacheOf(block), extra: block }
  }
  return { type: 'vendor', extra: block }
}

function textPart(role: WireMessage['role'], text: string): TextPart | OutputTextPart {
  return role === 'assistant' ? { type: 'output_text', text } : { type: 'input_text', text }
}

/** A whole text document is a file; one of several texts is their text for other dialects. */
function documentPart(source: JsonObject, block: Block): Part | undefined {
  const title = typeof block['title'] === 'string' && block['title'] !== '' ? { filename: block['title'] } : {}
  if (source['type'] === 'content') {
    const text = textsOf(source['content']).join('\n\n')
    return { type: 'input_text', text, ...cacheOf(block), extra: block }
  }
  if (source['type'] === 'text' && typeof source['data'] === 'string') {
    const file_data = `data:text/plain;base64,${Buffer.from(source['data'], 'utf8').toString('base64')}`
    return withMembers({ type: 'input_file', ...title, file_data }, block, documentMembers)
  }
  const url = urlOf(source)
  if (!url) return undefined
  const bytes = 'file_id' in url ? url : source['type'] === 'base64' ? { file_data: url.url } : { file_url: url.url }
  return withMembers({ type: 'input_file', ...title, ...bytes }, block, documentMembers)
}

/** Undefined for a kind of source that has no neutral form. */
function urlOf({ type, url, data, media_type: media, file_id: id }: JsonObject): { url: string } | { file_id: string } | undefined {
  if (type === 'base64' && typeof data === 'string') return { url: `data:${String(media)};base64,${data}` }
  if (type === 'url' && typeof url === 'string') return { url }
  return type === 'file' && typeof id === 'string' ? { file_id: id } : undefined
}

function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  return Array.isArray(content)
    ? content.flatMap((block: unknown) => (isObject(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    : []
}

function withMembers<P extends Part>(part: P, block: Block, known: ReadonlySet<string>): P {
  for (const name in block) if (!(name === 'type' || name === 'text')) return { ...part, ...cacheOf(block), ...rest(block, known) }
  return part
}

function cacheOf({ cache_control: control }: JsonObject): object {
  return control ? { cache_control: control } : {}
}

/** The other members of a block, for upstreams of the same dialect. */
function rest(block: Block, known: ReadonlySet<string>): WithExtra {
  let extra: Record<string, unknown> | undefined
  for (const name in block) {
    const value = block[name]
    if (known.has(name) || value === null || value === undefined) continue
    if (name === 'citations' && Array.isArray(value)) {
      const real = value.filter(isVendors)
      if (real.length > 0) (extra ??= {})[name] = real
    } else (extra ??= {})[name] = value
  }
  return extra ? { extra } : {}
}

/** The vendor refuses the citations that the gateway made of another API's. */
function isVendors(citation: unknown): boolean {
  return !isObject(citation) || citation['encrypted_index'] !== ''
}

function isOurs(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith(searchIdPrefix)
}

function searchItem({ id, input }: Block): Item {
  const query = (input as JsonObject | undefined)?.['query']
  return {
    type: 'web_search_call',
    id: (id as string).slice(searchIdPrefix.length - 'ws_'.length),
    status: 'completed',
    action: { type: 'search', query: typeof query === 'string' ? query : '' },
  }
}
