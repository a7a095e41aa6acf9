import type { GenerationEvent } from '../../../core/index.ts'
import type { Metadata, StreamPart } from './specification.ts'

type Part<T extends StreamPart['type']> = Extract<StreamPart, { type: T }>

interface OpenCall {
  said: string
}

/** The calls of one answer. Their input may come in pieces and then whole, or only whole. What the vendor runs itself is left out. */
export class ToolInputs {
  /** Of calls, by their ids. */
  readonly metadata: Record<string, Metadata> = {}
  readonly #emit: (event: GenerationEvent) => void
  readonly #calls = new Map<string, OpenCall>()

  constructor(emit: (event: GenerationEvent) => void) {
    this.#emit = emit
  }

  get count(): number {
    return this.#calls.size
  }

  start({ id, toolName, providerExecuted }: Part<'tool-input-start'>): void {
    if (!providerExecuted && !this.#calls.has(id)) this.#announce(id, toolName)
  }

  delta(id: string, delta: string): void {
    const call = this.#calls.get(id)
    if (call) this.#say(id, call, delta)
  }

  whole({ toolCallId: id, toolName, input, providerExecuted, providerMetadata }: Part<'tool-call'>): void {
    if (providerExecuted) return
    const call = this.#calls.get(id) ?? this.#announce(id, toolName)
    if (input.startsWith(call.said)) this.#say(id, call, input.slice(call.said.length))
    if (providerMetadata) this.metadata[id] = providerMetadata
  }

  /** The answer is over: the input of calls that have none. */
  end(): void {
    for (const [id, call] of this.#calls) if (call.said === '') this.#say(id, call, '{}')
  }

  #announce(id: string, name: string): OpenCall {
    const call = { said: '' }
    this.#calls.set(id, call)
    this.#emit({ type: 'tool-call', key: id, ...(id && { callId: id }), name })
    return call
  }

  #say(key: string, call: OpenCall, text: string): void {
    if (text === '') return
    call.said += text
    this.#emit({ type: 'tool-input', key, text })
  }
}
