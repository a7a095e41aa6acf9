import { isObject, parseJson } from '../../core/index.ts'
import type { ThinkingBlock } from './wire.ts'

// The vendor accepts a thought only unchanged: text and signature, byte for byte. Clients may reword the summary that they
// see, so the opaque state holds the text too.

/** The content of `encrypted_content`, as JSON. */
export function reasoningState(block: ThinkingBlock): string {
  return JSON.stringify(block.type === 'thinking' ? { signature: block.signature, thinking: block.thinking } : { data: block.data })
}

/** The thought, unless the state belongs to another dialect. */
export function thinkingBlock(opaque: string | undefined): ThinkingBlock | undefined {
  const state = opaque?.startsWith('{') ? parseJson(opaque) : undefined
  if (!isObject(state)) return undefined
  if (typeof state.data === 'string') return { type: 'redacted_thinking', data: state.data }
  if (typeof state.signature !== 'string' || typeof state.thinking !== 'string') return undefined
  return { type: 'thinking', thinking: state.thinking, signature: state.signature }
}
