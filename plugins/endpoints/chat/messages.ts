import type { Item, JsonObject } from '../../../core/index.ts'
import type { Part, WithExtra } from '../../../core/kit.ts'
import { outputOf, partsOf } from './parts.ts'
import { reasoningOf } from './reasoning.ts'
import type { WireCall, WireMessage } from './wire.ts'

export interface ReadMessages {
  readonly items: readonly Item[]
  /** For each item, the index of its message. */
  readonly places: readonly number[]
}

/** The items of the conversation. */
export function itemsOf(messages: readonly WireMessage[]): ReadMessages {
  const conversation = new Conversation()
  const places: number[] = []
  for (const [index, message] of messages.entries()) {
    conversation.add(message)
    while (places.length < conversation.items.length) places.push(index)
  }
  return { items: conversation.items, places }
}

class Conversation {
  readonly items: Item[] = []
  /** The ids of calls of custom tools, whose outputs are items of their own type. */
  readonly #custom = new Set<string>()
  /** Calls of the older form have no ids. Each gets one by its number, the same every time. */
  #functionCalls = 0

  add(message: WireMessage): void {
    const { role, content } = message
    switch (role) {
      case 'assistant':
        return this.#assistant(message)
      case 'tool': {
        const call_id = message.tool_call_id!
        const type = this.#custom.has(call_id) ? 'custom_tool_call_output' : 'function_call_output'
        this.items.push({ type, call_id, output: outputOf(content), ...rest(message, toolMembers) })
        return
      }
      case 'function':
        this.items.push({ type: 'function_call_output', call_id: idOf(this.#functionCalls), output: outputOf(content) })
        return
      default:
        this.items.push({ type: 'message', role, content: cached(partsOf(content, role), message), ...rest(message, spokenMembers) })
    }
  }

  #assistant(message: WireMessage): void {
    const { content, refusal, tool_calls: calls, function_call: called } = message
    const { before, byCall } = reasoningOf(message)
    this.items.push(...before)
    const said = [...partsOf(content, 'assistant'), ...(refusal ? [{ type: 'refusal' as const, refusal }] : [])]
    const extra = rest(message, assistantMembers)
    if (said.length > 0 || extra.extra) this.items.push({ type: 'message', role: 'assistant', content: cached(said, message), ...extra })
    for (const call of calls ?? []) {
      const reasoning = byCall.get(call.id)
      if (reasoning) this.items.push(...reasoning)
      this.items.push(this.#call(call))
    }
    if (called)
      this.items.push({
        type: 'function_call',
        call_id: idOf(++this.#functionCalls),
        name: called.name,
        arguments: called.arguments ?? '{}',
      })
  }

  #call(call: WireCall): Item {
    const { id: call_id, custom, function: called } = call
    if (custom && !called) {
      this.#custom.add(call_id)
      return { type: 'custom_tool_call', call_id, name: custom.name, input: custom.input ?? '', ...rest(call, callMembers) }
    }
    return { type: 'function_call', call_id, name: called!.name, arguments: called!.arguments ?? '{}', ...rest(call, callMembers) }
  }
}

function idOf(number: number): string {
  return `call_function_${number}`
}

const spokenMembers = new Set(['role', 'content', 'cache_control'])
const toolMembers = new Set(['role', 'content', 'tool_call_id', 'name', 'cache_control'])
const callMembers = new Set(['id', 'type', 'function', 'custom', 'index'])
/** Annotations are the vendor's to make. */
const assistantMembers = new Set([
  'role',
  'content',
  'refusal',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'tool_calls',
  'function_call',
  'annotations',
  'cache_control',
])

/** The other members, for upstreams of the same dialect. */
function rest(sent: JsonObject, known: ReadonlySet<string>): WithExtra {
  let extra: Record<string, unknown> | undefined
  for (const name in sent) {
    const value = sent[name]
    if (!known.has(name) && value !== null && value !== undefined) (extra ??= {})[name] = value
  }
  return extra ? { extra } : {}
}

/** A cache mark of the message is one of its last part. */
function cached(parts: readonly Part[], { cache_control: control }: WireMessage): readonly Part[] {
  const last = parts.at(-1)
  if (!control || !last || last.type === 'refusal' || last.type === 'vendor' || last.cache_control) return parts
  return [...parts.slice(0, -1), { ...last, cache_control: control }]
}
