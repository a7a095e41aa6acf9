import type { Item, JsonObject } from '../../core/index.ts'
import {
  unsayable,
  type CustomToolCallOutputItem,
  type FunctionCallOutputItem,
  type MessageItem,
  type UpstreamRequestBody,
} from '../../core/kit.ts'
import { AssistantTurn } from './assistant-turn.ts'
import { callIdFor } from './call-ids.ts'
import type { ChatHost } from './chat-host.ts'
import { extraOf } from './own-dialect.ts'
import { contentFor, partFor, textFor } from './parts.ts'

/** The whole conversation, `instructions` first. */
export function messagesOf(request: UpstreamRequestBody, host: ChatHost): readonly JsonObject[] {
  const conversation = new Conversation(host)
  if (request.instructions) conversation.message({ role: 'system', content: request.instructions })
  for (const item of request.input) conversation.add(item)
  return conversation.end()
}

class Conversation {
  readonly #host: ChatHost
  readonly #messages: JsonObject[] = []
  #turn: AssistantTurn | undefined
  /** Parts of tool results that a tool message cannot hold. They follow the last result. */
  #attachments: JsonObject[] = []

  constructor(host: ChatHost) {
    this.#host = host
  }

  add(item: Item): void {
    switch (item.type) {
      case 'message':
        return item.role === 'assistant' ? this.#assistant(item) : this.#other(item)
      case 'reasoning':
        this.#closeResults()
        return this.#opened.reasoning(item)
      case 'function_call':
      case 'custom_tool_call':
        this.#closeResults()
        return this.#opened.call(item)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#result(item)
      // The answer that follows already contains what the search found.
      case 'web_search_call':
        return
      default:
        throw unsayable(`Items of type ${item.type} cannot be sent: the Chat Completions protocol does not support them.`, item)
    }
  }

  message(message: JsonObject): void {
    this.#closeTurn()
    this.#closeResults()
    this.#push(message)
  }

  end(): readonly JsonObject[] {
    this.#closeTurn()
    this.#closeResults()
    const last = this.#messages.at(-1)
    if (this.#host.prefix && last?.role === 'assistant' && !last.tool_calls) this.#messages.push({ ...this.#messages.pop(), prefix: true })
    return this.#messages
  }

  get #opened(): AssistantTurn {
    return (this.#turn ??= new AssistantTurn(this.#host))
  }

  #assistant(item: MessageItem): void {
    this.#closeResults()
    if (this.#turn?.hasTextOnly) this.#closeTurn('assistant')
    this.#opened.message(item)
  }

  #other(item: MessageItem): void {
    const { role, content } = item
    const said = role === 'developer' && !this.#host.developerRole ? 'system' : role
    const form = said === 'user' ? contentFor : textFor
    this.message({ role: said, content: form(content, this.#host), ...extraOf(item) })
  }

  #result(item: FunctionCallOutputItem | CustomToolCallOutputItem): void {
    const { call_id: callId, output } = item
    this.#closeTurn()
    const parts = typeof output === 'string' ? [] : output
    const attached = parts.flatMap(part => (part.type === 'input_text' ? [] : [partFor(part, this.#host)]))
    const text = typeof output === 'string' ? output : parts.flatMap(part => (part.type === 'input_text' ? part.text : [])).join('\n')
    const id = callIdFor(callId, this.#host)
    this.#messages.push({
      role: 'tool',
      tool_call_id: id,
      content: text || (attached.length > 0 ? 'The result follows as an attachment.' : ''),
      ...extraOf(item),
    })
    if (attached.length > 0) this.#attachments.push({ type: 'text', text: `Result of the tool call ${id}:` }, ...attached)
  }

  #closeResults(): void {
    if (this.#attachments.length === 0) return
    this.#push({ role: 'user', content: this.#attachments })
    this.#attachments = []
  }

  #closeTurn(before?: 'assistant'): void {
    const message = this.#turn?.close(before)
    if (message) this.#push(message)
  }

  #push(message: JsonObject): void {
    const last = this.#messages.at(-1)
    if (this.#host.alternating && last?.role === message.role && message.role !== 'tool' && !message.tool_calls && !last?.tool_calls)
      this.#messages.splice(-1, 1, { ...last, ...message, content: joined(last!.content, message.content) })
    else this.#messages.push(message)
  }
}

function joined(first: unknown, second: unknown): unknown {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`
  return [first, second].flatMap(content => (typeof content === 'string' ? { type: 'text', text: content } : content))
}
