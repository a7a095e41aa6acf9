import type { Item } from '../../../core/index.ts'
import { argumentsOf, unsayable, type FunctionCallOutputItem, type MessageItem } from '../../../core/kit.ts'
import { isSystem, wireCallId } from '../../../dialects/messages/messages.ts'
import { DocumentNames } from './documents.ts'
import type { ModelTraits } from './models.ts'
import { inputBlocks, placed, textBlocks, type Placed } from './parts.ts'
import { reasoningBlock } from './reasoning-state.ts'
import type { ContentBlock, Message, SystemBlock, TextBlock, ToolResultBlock } from './wire.ts'

export interface Conversation {
  /** System and developer messages at the start of the conversation. */
  readonly system: readonly SystemBlock[]
  readonly messages: readonly Message[]
}

interface Turn {
  readonly role: Message['role']
  readonly content: Placed[]
}

/** Converts items to the vendor's turns: user and assistant alternate, and the user starts. */
export function conversationOf(items: readonly Item[], traits: ModelTraits): Conversation {
  const first = items.findIndex(item => !isSystem(item))
  // In a conversation of instructions alone, the last one serves as the question.
  const leading = !traits.system ? 0 : first < 0 ? items.length - 1 : first
  const system = items.slice(0, leading).flatMap(item => textBlocks((item as MessageItem).content))
  const names = new DocumentNames()
  const turns: Turn[] = []
  for (const item of items.slice(leading)) {
    const content = blocksOf(item, traits, names)
    // There are no system messages in mid-conversation. Marked text in the user's turn keeps its place and the prompt cache.
    if (isSystem(item) && first >= 0) append(turns, 'user', content.map(marked))
    else append(turns, roleOf(item), content)
  }
  const spoken = turns.flatMap(withoutLastThoughts)
  return { system: flat(system, traits), messages: alternating(spoken).map(turn => messageOf(turn, traits)) }
}

function roleOf(item: Item): Message['role'] {
  if (item.type === 'message') return item.role === 'assistant' ? 'assistant' : 'user'
  return item.type === 'function_call_output' ? 'user' : 'assistant'
}

function blocksOf(item: Item, traits: ModelTraits, names: DocumentNames): readonly Placed[] {
  switch (item.type) {
    case 'message':
      return item.role === 'user' ? withText(inputBlocks(item.content, names)) : textBlocks(item.content)
    case 'function_call':
      return [placed({ toolUse: { toolUseId: wireCallId(item.call_id), name: item.name, input: argumentsOf(item.arguments) } })]
    case 'function_call_output':
      return [toolResult(item, traits, names)]
    case 'reasoning': {
      const thought = reasoningBlock(item.encrypted_content)
      return thought ? [placed(thought)] : []
    }
    case 'compaction':
    case 'web_search_call':
      // A search cannot be replayed without the vendor's own results. The answer that follows contains what it found.
      return []
    default:
      throw unsayable(`Items of type ${item.type} cannot be sent to this provider.`, item)
  }
}

/** The vendor wants a text beside documents. A text of the next message would come too late for one that was sent before it. */
function withText(content: readonly Placed[]): readonly Placed[] {
  const needsText = content.some(({ block }) => 'document' in block) && !content.some(({ block }) => 'text' in block)
  return needsText ? [...content, placed({ text: '(See the attached documents.)' })] : content
}

/** Cache points are not allowed inside a result, so one follows it. */
function toolResult(item: FunctionCallOutputItem, traits: ModelTraits, names: DocumentNames): Placed {
  const parts = typeof item.output === 'string' ? [{ type: 'input_text' as const, text: item.output }] : item.output
  const content = inputBlocks(parts, names)
  const block: ToolResultBlock = {
    toolResult: {
      toolUseId: wireCallId(item.call_id),
      // The vendor rejects blank texts, and some models reject a result without content.
      content: content.length > 0 ? content.map(({ block }) => block) : [{ text: '(no output)' }],
      ...(item.status === 'failed' && traits.resultStatus && { status: 'error' }),
    },
  }
  return { block, cachePoint: content.findLast(({ cachePoint }) => cachePoint)?.cachePoint }
}

function marked({ block, cachePoint }: Placed): Placed {
  return { block: { text: `<system>\n${(block as TextBlock).text}\n</system>` }, cachePoint }
}

function append(turns: Turn[], role: Message['role'], content: readonly Placed[]): void {
  if (content.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.content.push(...content)
  else turns.push({ role, content: [...content] })
}

/** The vendor rejects a turn that ends in thoughts, such as an interrupted answer. */
function withoutLastThoughts({ role, content }: Turn): readonly Turn[] {
  const end = content.findLastIndex(({ block }) => !('reasoningContent' in block)) + 1
  return end === 0 ? [] : [{ role, content: content.slice(0, end) }]
}

/** Merges adjacent turns with the same role, starts with the user, and trims the end of an answer to continue. */
function alternating(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = []
  for (const { role, content } of turns) append(merged, role, content)
  if (merged[0]?.role !== 'user') merged.unshift({ role: 'user', content: [placed({ text: '(The conversation begins.)' })] })
  const last = merged.at(-1)!
  if (last.role === 'user') return merged
  return [
    ...merged.slice(0, -1),
    { role: last.role, content: last.content.map((each, index) => trimmed(each, index === last.content.length - 1)) },
  ]
}

function trimmed({ block, cachePoint }: Placed, isLast: boolean): Placed {
  return { block: isLast && 'text' in block ? { text: block.text.trimEnd() } : block, cachePoint }
}

/** Puts tool results first, where models expect them. */
function messageOf({ role, content }: Turn, traits: ModelTraits): Message {
  if (role === 'assistant') return { role, content: flat(content, traits) }
  const results = content.filter(({ block }) => 'toolResult' in block)
  const others = content.filter(({ block }) => !('toolResult' in block))
  return { role, content: flat([...results, ...others], traits) }
}

function flat<Block extends ContentBlock>(content: readonly Placed<Block>[], { cachePoints }: ModelTraits): (Block | SystemBlock)[] {
  return content.flatMap(({ block, cachePoint }) => {
    if (!cachePoint || cachePoints === 'none') return [block]
    return [block, { cachePoint: cachePoints === '1h' ? cachePoint : { type: 'default' as const } }]
  })
}
