import type { Item } from '../../../core/index.ts'
import { unsayable, type FunctionCallOutputItem, type MessageItem } from '../../../core/kit.ts'
import { AssistantTurn } from './assistant-turn.ts'
import { textOf, userContent } from './parts.ts'
import { toolResult } from './tool-result.ts'
import type { ImageContent, Message, TextContent } from './wire.ts'

/** Converts items to the vendor's messages. `filesAsText`: the request cannot have documents. */
export function messagesOf(items: readonly Item[], { filesAsText }: { readonly filesAsText: boolean }): readonly Message[] {
  const conversation = new Conversation(filesAsText)
  for (const item of items) conversation.add(item)
  return conversation.end()
}

class Conversation {
  readonly #filesAsText: boolean
  readonly #messages: Message[] = []
  readonly #turn = new AssistantTurn()
  /** Images from tool results. They follow the last result. */
  #images: (TextContent | ImageContent)[] = []

  constructor(filesAsText: boolean) {
    this.#filesAsText = filesAsText
  }

  add(item: Item): void {
    switch (item.type) {
      case 'message':
        return item.role === 'assistant' ? this.#assistant(item as MessageItem) : this.#other(item as MessageItem)
      case 'reasoning':
        // Thoughts after an answer belong to the next answer.
        if (this.#turn.hasText || this.#turn.hasCalls) this.#closeTurn()
        this.#closeResults()
        return this.#turn.reason(item)
      case 'function_call':
        this.#closeResults()
        return this.#turn.call(item)
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
    this.#closeResults()
    return this.#messages
  }

  #assistant(item: MessageItem): void {
    this.#closeResults()
    if (this.#turn.hasCalls) this.#closeTurn()
    this.#turn.say(item)
  }

  #other({ role, content }: MessageItem): void {
    this.#closeTurn()
    this.#closeResults()
    if (role === 'user') this.#messages.push({ role, content: userContent(content, this.#filesAsText) })
    else this.#messages.push({ role: 'system', content: textOf(content) })
  }

  #result(item: FunctionCallOutputItem): void {
    this.#closeTurn()
    const { content, images } = toolResult(item, this.#filesAsText)
    this.#messages.push({ role: 'tool', tool_call_id: item.call_id, content })
    if (images.length > 0) this.#images.push({ type: 'text', text: `Result of the tool call ${item.call_id}:` }, ...images)
  }

  #closeTurn(): void {
    const message = this.#turn.close()
    if (message) this.#messages.push(message)
  }

  #closeResults(): void {
    if (this.#images.length > 0) this.#messages.push({ role: 'user', content: this.#images })
    this.#images = []
  }
}
