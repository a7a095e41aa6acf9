import { reasoningState, thinkingBlock } from '../../../dialects/messages/reasoning-state.ts'
import type { ReasoningBlock } from './wire.ts'

// Models accept a thought only unchanged, text and signature, byte for byte. The state has the form of the Anthropic dialect,
// because its rules for Claude look for thoughts in the conversation.

/** The content of `encrypted_content`. */
export function signedState(text: string, signature: string): string {
  return reasoningState({ type: 'thinking', thinking: text, signature })
}

export function redactedState(base64: string): string {
  return reasoningState({ type: 'redacted_thinking', data: base64 })
}

/** The thought, unless the state belongs to another dialect. */
export function reasoningBlock(opaque: string | undefined): ReasoningBlock | undefined {
  const thought = thinkingBlock(opaque)
  if (!thought) return undefined
  if (thought.type === 'redacted_thinking') return { reasoningContent: { redactedContent: thought.data } }
  return { reasoningContent: { reasoningText: { text: thought.thinking, signature: thought.signature } } }
}
