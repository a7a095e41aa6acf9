import { ProviderFailure, type Item, type JsonObject } from '../../core/index.ts'
import type { InputPart, MessageItem, Part, ReasoningItem } from '../../core/kit.ts'

/**
 * The conversation for a vendor that stores nothing: without the gateway's ids, and without what the vendor would have to look up.
 * Unknown members stay, because they belong to this dialect.
 */
export function itemsOf(items: readonly Item[]): readonly JsonObject[] {
  return items.map(inputItem).filter(item => item !== undefined)
}

function inputItem(item: Item): JsonObject | undefined {
  switch (item.type) {
    case 'message':
      return message(item)
    case 'function_call':
    case 'custom_tool_call':
    case 'compaction':
      return nameless(item)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { ...nameless(item), output: typeof item.output === 'string' ? item.output : item.output.map(inputPart) }
    case 'reasoning':
      return reasoning(item)
    case 'web_search_call':
      // The vendor would need stored results, which do not exist.
      return undefined
    case 'item_reference':
      throw new ProviderFailure({
        kind: 'invalid-request',
        message: `The item_reference '${item.id}' cannot be sent to a provider that stores nothing. Send the item itself.`,
      })
    case 'apply_patch_call':
    case 'apply_patch_call_output':
    case 'shell_call':
    case 'shell_call_output':
    case 'tool_search_call':
    case 'tool_search_output': {
      // The vendor looks up ids of its own, and these are the gateway's. Unlike elsewhere, it wants the status back.
      const { id: _, ...whole } = item as JsonObject
      return whole
    }
    default:
      return item
  }
}

function message(item: MessageItem): JsonObject {
  const [first, ...others] = item.content
  // The only form of an assistant message that needs no id in the vendor's schema and that every host accepts.
  if (item.role === 'assistant' && others.length === 0 && first && 'text' in first) return { ...nameless(item), content: first.text }
  return { ...nameless(item), content: item.content.map(item.role === 'assistant' ? outputPart : inputPart) }
}

function reasoning(item: ReasoningItem): JsonObject | undefined {
  // The vendor rejects thoughts that it did not store and cannot decrypt.
  if (!item.encrypted_content) return undefined
  return {
    ...nameless(item),
    summary: (item.summary ?? []).map(part => ({ type: 'summary_text', text: part.text })),
    ...(item.content?.length
      ? { content: item.content.map(part => ({ type: 'reasoning_text', text: part.text })) }
      : { content: undefined }),
  }
}

/** Parts of user, system and developer messages, and of tool outputs. */
function inputPart(part: Part): JsonObject {
  if (part.type === 'output_text') return { type: 'input_text', text: part.text }
  if (part.type === 'refusal') return { type: 'input_text', text: part.refusal }
  return unhinted(part)
}

function outputPart(part: Part): JsonObject {
  if (part.type === 'input_text') return { type: 'output_text', text: part.text }
  if (part.type === 'output_text') return { type: 'output_text', text: part.text }
  return part.type === 'refusal' ? part : unhinted(part)
}

/** Removes `cache_control`, a hint in another dialect. */
function unhinted(part: InputPart): JsonObject {
  const { cache_control: _, ...unhinted } = part as JsonObject
  return unhinted
}

function nameless({ id: _id, status: _status, ...item }: JsonObject): JsonObject {
  return item
}
