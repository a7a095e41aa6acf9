import type { FunctionCallItem, MessageItem, ReasoningItem } from '../../../core/kit.ts'
import { textOf } from './parts.ts'
import type { AssistantMessage, ThinkingContent, ToolCall } from './wire.ts'

/** Collects consecutive thoughts, texts and calls, which are one message in this dialect. */
export class AssistantTurn {
  #thoughts: ThinkingContent[] = []
  #texts: string[] = []
  #calls: ToolCall[] = []

  get hasCalls(): boolean {
    return this.#calls.length > 0
  }

  get hasText(): boolean {
    return this.#texts.length > 0
  }

  reason({ content = [] }: ReasoningItem): void {
    const thinking = content.map(({ text }) => text).join('\n\n')
    if (thinking !== '') this.#thoughts.push({ type: 'thinking', thinking })
  }

  say({ content }: MessageItem): void {
    const text = textOf(content)
    if (text !== '') this.#texts.push(text)
  }

  call({ call_id: id, name, arguments: args }: FunctionCallItem): void {
    this.#calls.push({ id, type: 'function', function: { name, arguments: args.trim() === '' ? '{}' : args } })
  }

  /** Returns the message and starts over. Undefined if it would be empty. Text before tool calls is the model's plan. */
  close(): AssistantMessage | undefined {
    const [thoughts, text, calls] = [this.#thoughts, this.#texts.join('\n\n'), this.#calls]
    this.#thoughts = []
    this.#texts = []
    this.#calls = []
    if (calls.length > 0)
      return {
        role: 'assistant',
        ...(thoughts.length > 0 && { content: thoughts }),
        ...(text !== '' && { tool_plan: text }),
        tool_calls: calls,
      }
    if (text === '') return undefined
    return { role: 'assistant', content: thoughts.length > 0 ? [...thoughts, { type: 'text', text }] : text }
  }
}
