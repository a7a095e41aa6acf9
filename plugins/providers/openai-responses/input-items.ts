import {
  ProviderFailure,
  type InputPart,
  type Item,
  type JsonObject,
  type MessageItem,
  type Part,
  type ReasoningItem,
} from '../../../core/index.ts'

/**
 * A conversation as this dialect takes it when nothing is stored: without ids, since the ids of the gateway mean nothing to the vendor,
 * and without what the vendor could only look up. Members that the protocol does not know stay: this dialect is where they come from.
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
      // Its results live at the vendor, under an id that was never stored.
      return undefined
    case 'item_reference':
      throw new ProviderFailure({
        kind: 'invalid-request',
        message: `The item_reference '${item.id}' cannot be sent to a provider that stores nothing; send the item itself.`,
      })
    default:
      return item
  }
}

function message(item: MessageItem): JsonObject {
  const [first, ...others] = item.content
  // The one form of an assistant's turn that needs no id by the vendor's schema, and that every host of the dialect takes.
  if (item.role === 'assistant' && others.length === 0 && first && 'text' in first) return { ...nameless(item), content: first.text }
  return { ...nameless(item), content: item.content.map(item.role === 'assistant' ? outputPart : inputPart) }
}

function reasoning(item: ReasoningItem): JsonObject | undefined {
  // The vendor refuses a thought that it neither stored nor can decrypt.
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

/** `cache_control` is another dialect's hint. */
function unhinted(part: InputPart): JsonObject {
  const { cache_control: _, ...unhinted } = part as JsonObject
  return unhinted
}

function nameless({ id: _id, status: _status, ...item }: JsonObject): JsonObject {
  return item
}
