import type { Item } from '../../../core/index.ts'
import {
  argumentsOf,
  unsayable,
  type FunctionCallItem,
  type FunctionCallOutputItem,
  type MessageItem,
  type ReasoningItem,
} from '../../../core/kit.ts'
import { contentOf, textOf } from './parts.ts'
import type { Message, ToolCall } from './wire.ts'

/** Converts items to the vendor's messages. Consecutive thoughts, texts and calls are one message. */
export function messagesOf(items: readonly Item[]): readonly Message[] {
  const conversation = new Conversation()
  for (const item of items) conversation.add(item)
  return conversation.end()
}

class Conversation {
  readonly #messages: Message[] = []
  /** Function names by call id. Results do not repeat them. */
  readonly #names = new Map<string, string>()
  #thinking: string[] = []
  #texts: string[] = []
  #calls: ToolCall[] = []

  add(item: Item): void {
    switch (item.type) {
      case 'message':
        return item.role === 'assistant' ? this.#assistant(item as MessageItem) : this.#other(item as MessageItem)
      case 'reasoning':
        return this.#reasoning(item)
      case 'function_call':
        return this.#call(item)
      case 'function_call_output':
        return this.#result(item as FunctionCallOutputItem)
      case 'web_search_call':
        // The answer that follows already contains what the search found.
        return
      default:
        throw unsayable(`Items of type ${item.type} cannot be sent to this provider.`, item)
    }
  }

  end(): readonly Message[] {
    this.#closeTurn()
    return this.#messages
  }

  #assistant({ content }: MessageItem): void {
    if (this.#calls.length > 0) this.#closeTurn()
    this.#texts.push(textOf(content))
  }

  #reasoning({ content = [] }: ReasoningItem): void {
    // Thoughts after an answer belong to the next answer.
    if (this.#texts.length > 0 || this.#calls.length > 0) this.#closeTurn()
    this.#thinking.push(...content.map(({ text }) => text))
  }

  #call({ call_id: id, name, arguments: args }: FunctionCallItem): void {
    this.#names.set(id, name)
    this.#calls.push({ id, function: { name, arguments: argumentsOf(args) } })
  }

  #result({ call_id: id, output }: FunctionCallOutputItem): void {
    this.#closeTurn()
    const name = this.#names.get(id)
    this.#messages.push({
      role: 'tool',
      ...(typeof output === 'string' ? { content: output } : contentOf(output)),
      ...(name !== undefined && { tool_name: name }),
      tool_call_id: id,
    })
  }

  #other({ role, content }: MessageItem): void {
    this.#closeTurn()
    if (role === 'user') this.#messages.push({ role, ...contentOf(content) })
    else this.#messages.push({ role: 'system', content: textOf(content) })
  }

  #closeTurn(): void {
    const [thinking, content, calls] = [this.#thinking.join('\n\n'), this.#texts.join('\n\n'), this.#calls]
    this.#thinking = []
    this.#texts = []
    this.#calls = []
    if (content === '' && calls.length === 0) return
    this.#messages.push({ role: 'assistant', content, ...(thinking && { thinking }), ...(calls.length > 0 && { tool_calls: calls }) })
  }
}
