import { parseJson, type Item } from '../../core/index.ts'
import { argumentsOf, unsayable, type FunctionCallOutputItem, type MessageItem } from '../../core/kit.ts'
import { extraOf } from './own-dialect.ts'
import { inputBlocks, textBlocks } from './parts.ts'
import { thinkingBlock } from './reasoning-state.ts'
import type { Block, CompactionBlock, Message, TextBlock, ToolResultBlock, VendorBlock } from './wire.ts'

export interface Conversation {
  /** System and developer messages at the start of the conversation. */
  readonly system: readonly (TextBlock | VendorBlock)[]
  readonly messages: readonly Message[]
}

interface Turn {
  readonly role: Message['role']
  readonly content: Block[]
}

/**
 * Converts items to the vendor's turns. `systemTurns`: later system messages may keep their role where the vendor allows it. `isOwn`: the
 * caller speaks this dialect.
 */
export function conversationOf(items: readonly Item[], systemTurns: boolean, isOwn: boolean): Conversation {
  const first = items.findIndex(item => !isSystem(item))
  // In a conversation of instructions alone, the last one serves as the question.
  const leading = first < 0 ? items.length - 1 : first
  const system = items.slice(0, leading).flatMap(item => textBlocks((item as MessageItem).content, isOwn))
  const turns: Turn[] = []
  for (const item of items.slice(leading)) {
    const role = first < 0 ? 'user' : roleOf(item)
    const content = blocksOf(item, isOwn)
    if (content.length === 0) continue
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else turns.push({ role, content: [...content] })
  }
  return { system, messages: alternating(placeSystem(turns.flatMap(withoutLastThoughts), systemTurns)) }
}

export function isSystem(item: Item): boolean {
  return item.type === 'message' && (item.role === 'system' || item.role === 'developer')
}

function roleOf(item: Item): Message['role'] {
  if (isSystem(item)) return 'system'
  if (item.type === 'message') return item.role === 'user' ? 'user' : 'assistant'
  return item.type === 'function_call_output' ? 'user' : 'assistant'
}

function blocksOf(item: Item, isOwn: boolean): readonly Block[] {
  switch (item.type) {
    case 'message':
      return item.role === 'user' ? inputBlocks(item.content, isOwn) : textBlocks(item.content, isOwn)
    case 'function_call':
      return [
        {
          ...extraOf(item, isOwn),
          type: 'tool_use',
          id: wireCallId(item.call_id),
          name: item.name,
          input: argumentsOf(item.arguments),
        },
      ]
    case 'function_call_output':
      return [toolResult(item, isOwn)]
    case 'reasoning': {
      const thought = thinkingBlock(item.encrypted_content)
      return thought ? [thought] : []
    }
    case 'compaction':
      return compactionBlocks(item.encrypted_content)
    case 'web_search_call':
      // A search cannot be replayed without the vendor's own results. The answer that follows contains what it found.
      return []
    case 'vendor':
      if (isOwn) return [item.extra as VendorBlock]
      throw unsayable('Items of another API cannot be sent to this provider.', item)
    default:
      throw unsayable(`Items of type ${item.type} cannot be sent to this provider.`, item)
  }
}

/** The vendor accepts only letters, digits, "_" and "-". Call ids of other vendors may look different. */
export function wireCallId(callId: string): string {
  return callId.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
}

function toolResult(item: FunctionCallOutputItem, isOwn: boolean): ToolResultBlock {
  const content = typeof item.output === 'string' ? item.output : inputBlocks(item.output, isOwn)
  return {
    ...extraOf(item, isOwn),
    type: 'tool_result',
    tool_use_id: wireCallId(item.call_id),
    ...(content.length > 0 && { content }),
    ...(item.status === 'failed' && { is_error: true }),
  }
}

function compactionBlocks(opaque: string): readonly CompactionBlock[] {
  const block = parseJson(opaque) as CompactionBlock | null | undefined
  return block?.type === 'compaction' ? [block] : []
}

/** The vendor rejects a turn that ends in thoughts, such as an interrupted answer. */
function withoutLastThoughts(turn: Turn): readonly Turn[] {
  const end = turn.content.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking') + 1
  return end === 0 ? [] : [{ role: turn.role, content: turn.content.slice(0, end) }]
}

/**
 * A system message in mid-conversation keeps its authority as a separate turn. Newer models accept one right after a user turn, if it is
 * last or the assistant is next ("Mid-conversation system messages", placement). Elsewhere it becomes marked text in the user's turn: in
 * the top-level system prompt it would lose its place and invalidate the prompt cache.
 */
function placeSystem(turns: readonly Turn[], systemTurns: boolean): readonly Turn[] {
  return turns.map((turn, index) => {
    const hasPlace = systemTurns && turns[index - 1]?.role === 'user' && turns[index + 1]?.role !== 'user'
    if (turn.role !== 'system' || hasPlace) return turn
    return { role: 'user', content: (turn.content as TextBlock[]).map(block => ({ ...block, text: `<system>\n${block.text}\n</system>` })) }
  })
}

/** Merges adjacent turns with the same role, starts with the user, and puts tool results first, where the vendor expects them. */
function alternating(turns: readonly Turn[]): readonly Message[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role === turn.role) last.content.push(...turn.content)
    else merged.push({ role: turn.role, content: [...turn.content] })
  }
  if (merged[0]?.role !== 'user') merged.unshift({ role: 'user', content: [{ type: 'text', text: '(The conversation begins.)' }] })
  return merged.map(({ role, content }, index) => ({
    role,
    content: role === 'user' ? resultsFirst(content) : index === merged.length - 1 ? withoutTrailingSpace(content) : content,
  }))
}

function resultsFirst(content: readonly Block[]): readonly Block[] {
  return [...content.filter(block => block.type === 'tool_result'), ...content.filter(block => block.type !== 'tool_result')]
}

/** An answer to continue must not end in white space. */
function withoutTrailingSpace(content: readonly Block[]): readonly Block[] {
  const last = content.at(-1)
  if (last?.type !== 'text') return content
  return [...content.slice(0, -1), { ...last, text: (last as TextBlock).text.trimEnd() }]
}
