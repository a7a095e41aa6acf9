import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import type { Item } from '../../../core/index.ts'
import {
  argumentsOf,
  unsayable,
  type FunctionCallItem,
  type FunctionCallOutputItem,
  type MessageItem,
  type ReasoningItem,
  type UpstreamRequestBody,
} from '../../../core/kit.ts'
import { partsFor, resultFor, textFor } from './parts.ts'
import type { Metadata } from './specification.ts'
import { stateIn } from './state.ts'
import type { Vendor } from './vendor.ts'

type Role<R extends LanguageModelV4Message['role']> = Extract<LanguageModelV4Message, { role: R }>
type AssistantPart = Role<'assistant'>['content'][number]
type UserPart = Role<'user'>['content'][number]

/** The whole conversation, `instructions` first. */
export function promptFor({ instructions, input }: UpstreamRequestBody, vendor: Vendor): LanguageModelV4Prompt {
  const prompt = new Prompt(vendor, input)
  if (instructions) prompt.system(instructions)
  input.forEach((item, index) => prompt.add(item, input[index + 1]))
  return prompt.end()
}

class Prompt {
  readonly #vendor: Vendor
  readonly #messages: LanguageModelV4Prompt = []
  readonly #toolNames = new Map<string, string>()
  readonly #callStates = new Map<string, Metadata>()
  #assistant: AssistantPart[] = []
  #results: LanguageModelV4ToolResultPart[] = []
  /** Parts that a result cannot hold here. A user message after the results holds them. */
  #attachments: UserPart[] = []
  #hasBegun = false

  constructor(vendor: Vendor, input: readonly Item[]) {
    this.#vendor = vendor
    for (const item of input) {
      if (item.type === 'function_call') this.#toolNames.set(item.call_id, item.name)
      const state = item.type === 'reasoning' ? stateIn(item.encrypted_content) : undefined
      if (state?.of === 'calls') for (const [id, metadata] of Object.entries(state.calls)) this.#callStates.set(id, metadata)
    }
  }

  /** `next`: the following item, which may hold this item's state. */
  add(item: Item, next: Item | undefined): void {
    switch (item.type) {
      case 'message':
        return this.#message(item, next)
      case 'reasoning':
        return this.#reasoning(item)
      case 'function_call':
        return this.#call(item)
      case 'function_call_output':
        return this.#result(item)
      // The answer that follows already contains what the search found.
      case 'web_search_call':
        return
      default:
        throw unsayable(`Items of type ${item.type} cannot be sent to this provider.`, item)
    }
  }

  /** Most vendors reject system messages in mid-conversation, so they become marked text in a user message. */
  system(content: string): void {
    if (!this.#hasBegun || this.#vendor.systemAnywhere) this.#push({ role: 'system', content })
    else this.#push({ role: 'user', content: [{ type: 'text', text: `<system>\n${content}\n</system>` }] })
  }

  end(): LanguageModelV4Prompt {
    this.#close()
    // In a conversation of instructions alone, the last one serves as the question.
    const last = this.#messages.at(-1)
    if (!this.#hasBegun && last?.role === 'system')
      this.#messages.splice(-1, 1, { role: 'user', content: [{ type: 'text', text: last.content }] })
    return this.#messages
  }

  #message(item: MessageItem, next: Item | undefined): void {
    if (item.role === 'user') return this.#push({ role: 'user', content: partsFor(item.content, this.#vendor) })
    const text = textFor(item.content)
    if (item.role !== 'assistant') return this.system(text)
    this.#closeResults()
    // Some packages join the texts of one message without a separator.
    if (this.#assistant.some(({ type }) => type === 'text')) this.#close()
    const state = next?.type === 'reasoning' ? stateIn(next.encrypted_content) : undefined
    if (text !== '') this.#assistant.push({ type: 'text', text, ...(state?.of === 'text' && { providerOptions: state.metadata }) })
  }

  #reasoning({ encrypted_content, content, summary }: ReasoningItem): void {
    const state = stateIn(encrypted_content)
    if (state && state.of !== 'thought') return
    this.#closeResults()
    if (state) {
      this.#assistant.push({ type: 'reasoning', text: state.text, providerOptions: state.metadata })
    } else if (!this.#vendor.digests) {
      const parts = content?.length ? content : summary
      const text = parts?.map(part => part.text).join('\n\n')
      if (text) this.#assistant.push({ type: 'reasoning', text })
    }
  }

  #call({ call_id: toolCallId, name: toolName, arguments: text }: FunctionCallItem): void {
    this.#closeResults()
    const providerOptions = this.#callStates.get(toolCallId)
    this.#assistant.push({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: argumentsOf(text),
      ...(providerOptions && { providerOptions }),
    })
  }

  #result(item: FunctionCallOutputItem): void {
    this.#closeAssistant()
    const { output, attachments } = resultFor(item, this.#vendor)
    this.#results.push({
      type: 'tool-result',
      toolCallId: item.call_id,
      toolName: this.#toolNames.get(item.call_id) ?? 'unknown',
      output,
    })
    if (attachments.length > 0) this.#attachments.push({ type: 'text', text: `Result of the tool call ${item.call_id}:` }, ...attachments)
  }

  #push(message: LanguageModelV4Message): void {
    this.#close()
    this.#hasBegun ||= message.role !== 'system'
    this.#messages.push(message)
  }

  #close(): void {
    this.#closeAssistant()
    this.#closeResults()
  }

  #closeAssistant(): void {
    // Vendors that sign thoughts reject a turn that ends in thoughts, such as an interrupted answer.
    const end = this.#assistant.findLastIndex(({ type }) => type !== 'reasoning') + 1
    const content = this.#assistant.slice(0, end)
    this.#assistant = []
    if (content.length === 0) return
    this.#hasBegun = true
    this.#messages.push({ role: 'assistant', content })
  }

  #closeResults(): void {
    const [results, attachments] = [this.#results, this.#attachments]
    this.#results = []
    this.#attachments = []
    if (results.length === 0) return
    this.#hasBegun = true
    this.#messages.push({ role: 'tool', content: results })
    if (attachments.length > 0) this.#messages.push({ role: 'user', content: attachments })
  }
}
