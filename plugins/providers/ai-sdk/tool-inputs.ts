import type { GenerationEvent } from '../../../core/index.ts'
import type { Metadata, StreamPart } from './specification.ts'

type Part<T extends StreamPart['type']> = Extract<StreamPart, { type: T }>

interface OpenCall {
  /** The input so far; the first `said` characters were emitted. Input that starts like `null` may be a call without arguments. */
  came: string
  said: number
}

/** The calls of one answer. Input may come in pieces and then whole, or only whole. Skips tools that the vendor runs itself. */
export class ToolInputs {
  /** Metadata of calls, by their ids. */
  readonly metadata: Record<string, Metadata> = {}
  readonly #emit: (event: GenerationEvent) => void
  readonly #calls = new Map<string, OpenCall>()
  #hasForeign = false

  constructor(emit: (event: GenerationEvent) => void) {
    this.#emit = emit
  }

  get count(): number {
    return this.#calls.size
  }

  /** True if the vendor ran its own tools. */
  get hasForeign(): boolean {
    return this.#hasForeign
  }

  start({ id, toolName, providerExecuted }: Part<'tool-input-start'>): void {
    if (providerExecuted) this.#hasForeign = true
    else if (!this.#calls.has(id)) this.#announce(id, toolName)
  }

  delta(id: string, delta: string): void {
    const call = this.#calls.get(id)
    if (!call) return
    call.came += delta
    if (!'null'.startsWith(call.came)) this.#say(id, call)
  }

  whole({ toolCallId: id, toolName, input, providerExecuted, providerMetadata }: Part<'tool-call'>): void {
    if (providerExecuted) {
      this.#hasForeign = true
      return
    }
    const call = this.#calls.get(id) ?? this.#announce(id, toolName)
    if (input.startsWith(call.came)) call.came = input
    if (!'null'.startsWith(call.came)) this.#say(id, call)
    if (providerMetadata) this.metadata[id] = providerMetadata
  }

  /** Ends the answer. Calls without input get `{}`, unless the answer was `cut`, where input may be missing. */
  end(cut: boolean): void {
    for (const [id, call] of this.#calls) {
      if (!cut && (call.came === '' || call.came === 'null')) call.came = '{}'
      this.#say(id, call)
    }
  }

  #announce(id: string, name: string): OpenCall {
    const call = { came: '', said: 0 }
    this.#calls.set(id, call)
    this.#emit({ type: 'tool-call', key: id, ...(id && { callId: id }), name })
    return call
  }

  #say(key: string, call: OpenCall): void {
    const text = call.came.slice(call.said)
    call.said = call.came.length
    if (text !== '') this.#emit({ type: 'tool-input', key, text })
  }
}
