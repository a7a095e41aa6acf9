import type { Item, MessageItem } from '../../contracts/items.ts'

const mark = '<conversation_summary>'
const end = '</conversation_summary>'
const introduction =
  'The conversation so far was too long to keep. What follows is a summary of it, written by a model: take it as what was said and done.'

/**
 * The summary as models read it. It speaks as the user: much of a conversation comes from tools and pages, and must not become an
 * instruction of the system.
 */
export function summaryMessage(summary: string): MessageItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: `${mark}\n${introduction}\n\n${summary}\n${end}` }] }
}

/** True for a summary in a conversation. */
export function isSummary(item: Item): boolean {
  if (item.type !== 'message' || item.role !== 'user') return false
  const [part] = item.content
  return part?.type === 'input_text' && part.text.startsWith(mark)
}
