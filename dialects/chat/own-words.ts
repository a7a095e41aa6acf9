import { isObject, type JsonObject } from '../../core/index.ts'
import type { Emit } from '../../core/kit.ts'
import type { ChatBody, Choice, ReasoningDetail, Said, ToolCall, Usage } from './wire.ts'

/** Members of a reply that no event can say, for a caller of this dialect. */
export class OwnWords {
  readonly #answer: Record<string, unknown> = {}
  #choice: Record<string, unknown> = {}
  /** A frame that is like the one before may be the same object. */
  #last: ChatBody | undefined
  #hasTold = false
  #usage: Usage | undefined

  /** Tells the members beside the choices when they come or change. */
  envelope(body: ChatBody, emit: Emit): void {
    if (body === this.#last) return
    this.#last = body
    let news: Record<string, unknown> | undefined
    for (const name in body) {
      if (answerMembers.has(name)) continue
      const value = (body as JsonObject)[name]
      if (value === null || value === undefined || isSame(value, this.#answer[name])) continue
      this.#answer[name] = value
      ;(news ??= {})[name] = value
    }
    if (!news && this.#hasTold) return
    this.#hasTold = true
    // The first one says that there is such a reply.
    emit({ type: 'extra', at: 'answer', fields: news ?? {} })
  }

  choice(choice: Choice): void {
    for (const name in choice) {
      const value = (choice as JsonObject)[name]
      if (!choiceMembers.has(name) && value !== null && value !== undefined) this.#choice[name] = value
    }
  }

  /** Tells the members of a delta or a message. True if they are content, such as audio. */
  said(said: Said, emit: Emit): boolean {
    let others: Record<string, unknown> | undefined
    for (const name in said) {
      const value = (said as JsonObject)[name]
      if (!messageMembers.has(name) && value !== null && value !== undefined) (others ??= {})[name] = value
    }
    if (!others) return false
    const isContent = contentMembers.some(name => name in others)
    // An empty text opens the message that they belong to.
    if (isContent) emit({ type: 'text', text: '' })
    emit({ type: 'extra', at: 'item', fields: others })
    return isContent
  }

  /** Tells the details of a thought, right before the thought. */
  details(details: readonly ReasoningDetail[], emit: Emit): void {
    const visible = details.flatMap(visiblePart)
    if (visible.length > 0) emit({ type: 'extra', at: 'item', fields: { reasoning_details: visible } })
  }

  /** Tells the members of a call, in the list of them, right after it was announced: others are the message's. */
  call(call: ToolCall, emit: Emit): void {
    let others: Record<string, unknown> | undefined
    for (const name in call) {
      const value = (call as JsonObject)[name]
      if (!callMembers.has(name) && value !== null && value !== undefined) (others ??= {})[name] = value
    }
    if (others) emit({ type: 'extra', at: 'item', fields: { tool_calls: [others] } })
  }

  usage(usage: Usage): void {
    if (isObject(usage)) this.#usage = usage
  }

  /** Tells the usage and the end. */
  end(reason: string | undefined, emit: Emit): void {
    if (this.#usage) emit({ type: 'extra', at: 'usage', fields: { ...(this.#usage as JsonObject) } })
    emit({ type: 'extra', at: 'finish', fields: { finish_reason: reason ?? null, ...this.#choice } })
    this.#choice = {}
  }
}

const answerMembers = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'obfuscation'])
const choiceMembers = new Set(['index', 'delta', 'message', 'finish_reason', 'logprobs', 'error'])
const messageMembers = new Set(['role', 'content', 'refusal', 'reasoning', 'reasoning_content', 'reasoning_details', 'tool_calls'])
const callMembers = new Set(['index', 'id', 'type', 'function', 'custom'])
const contentMembers = ['audio', 'images', 'video'] as const

/** State leaves the gateway sealed, so this is the rest of a detail. */
function visiblePart({ signature: _, data: __, ...visible }: ReasoningDetail): readonly object[] {
  return visible.text || visible.summary ? [visible] : []
}

function isSame(value: unknown, before: unknown): boolean {
  return value === before || (typeof value === 'object' && JSON.stringify(value) === JSON.stringify(before))
}
