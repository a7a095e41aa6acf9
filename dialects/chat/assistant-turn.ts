import type { JsonObject } from '../../core/index.ts'
import type { CustomToolCallItem, FunctionCallItem, MessageItem, ReasoningItem } from '../../core/kit.ts'
import { callIdFor } from './call-ids.ts'
import type { ChatHost } from './chat-host.ts'
import { extraOf } from './own-dialect.ts'
import { textFor } from './parts.ts'

/** Collects consecutive reasoning, texts and calls, which are one message in this protocol. */
export class AssistantTurn {
  readonly #host: ChatHost
  #content: (string | JsonObject)[] = []
  #calls: JsonObject[] = []
  #extra: JsonObject | undefined
  #reasoning: ReasoningItem[] = []
  /** Reasoning that may belong to the open message or to the next one. */
  #pending: ReasoningItem[] = []

  constructor(host: ChatHost) {
    this.#host = host
  }

  get hasTextOnly(): boolean {
    return this.#content.length > 0 && this.#calls.length === 0
  }

  reasoning(item: ReasoningItem): void {
    this.#pending.push(item)
  }

  message(item: MessageItem): void {
    this.#settle()
    const said = textFor(item.content, this.#host)
    if (typeof said !== 'string') this.#content.push(...said)
    else if (said) this.#content.push(said)
    const extra = extraOf(item)
    if (extra) this.#extra = { ...this.#extra, ...extra }
  }

  call(item: FunctionCallItem | CustomToolCallItem): void {
    this.#settle()
    const id = callIdFor(item.call_id, this.#host)
    const { name } = item
    if (item.type === 'function_call')
      this.#calls.push({ id, type: 'function', function: { name, arguments: item.arguments }, ...extraOf(item) })
    else this.#calls.push({ id, type: 'custom', custom: { name, input: item.input }, ...extraOf(item) })
  }

  /** Returns the message and starts over. Undefined if it would be empty. `before`: another assistant message follows directly. */
  close(before?: 'assistant'): JsonObject | undefined {
    // Reasoning at the end belongs to the open message, or was never answered.
    if (before !== 'assistant') this.#settle()
    const said = this.#content.length > 0 || this.#calls.length > 0 || this.#extra !== undefined
    const message = said
      ? {
          role: 'assistant',
          content: this.#said(),
          ...reasoningMembers(this.#reasoning, this.#host),
          ...(this.#calls.length > 0 && { tool_calls: this.#calls }),
          ...this.#extra,
        }
      : undefined
    this.#content = []
    this.#calls = []
    this.#extra = undefined
    this.#reasoning = []
    return message
  }

  #settle(): void {
    this.#reasoning.push(...this.#pending)
    this.#pending = []
  }

  #said(): string | readonly JsonObject[] | null {
    const thought = this.#host.reasoning === 'thinking' ? visibleReasoning(this.#reasoning) : ''
    const hasParts = thought !== '' || this.#content.some(piece => typeof piece !== 'string')
    if (!hasParts) return this.#content.length > 0 ? this.#content.join('\n\n') : null
    const parts = this.#content.map(piece => (typeof piece === 'string' ? { type: 'text', text: piece } : piece))
    return thought ? [{ type: 'thinking', thinking: [{ type: 'text', text: thought }] }, ...parts] : parts
  }
}

function reasoningMembers(items: readonly ReasoningItem[], { reasoning, reasoningMember }: ChatHost): JsonObject {
  if (reasoning === undefined || reasoning === 'thinking') return {}
  if (reasoning === 'reasoning_details') {
    const details = items.flatMap(detailsOf)
    if (details.length > 0) return { reasoning_details: details }
  }
  const text = visibleReasoning(items)
  return text ? { [reasoningMember ?? (reasoning === 'reasoning_content' ? reasoning : 'reasoning')]: text } : {}
}

/** The vendor's own list, as the decoder stored it. */
function detailsOf({ encrypted_content }: ReasoningItem): readonly unknown[] {
  return encrypted_content?.startsWith('[') ? (JSON.parse(encrypted_content) as readonly unknown[]) : []
}

function visibleReasoning(items: readonly ReasoningItem[]): string {
  return items.flatMap(item => item.content?.map(part => part.text) ?? []).join('\n\n')
}
