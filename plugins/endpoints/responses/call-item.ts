import { appended, isJson, type GenerationEvent, type JsonObject } from '../../../core/index.ts'
import { deltaHead } from './frames.ts'
import type { ItemContext, OpenItem } from './response-builder.ts'

type ToolCall = Extract<GenerationEvent, { type: 'tool-call' }>

/** A `function_call` or `custom_tool_call`. */
export class CallItem implements OpenItem {
  readonly #context: ItemContext
  readonly #id: string
  readonly #call: ToolCall
  readonly #head: string
  #input = ''
  #checkedLength = -1
  #complete = false

  constructor(context: ItemContext, first: GenerationEvent) {
    this.#context = context
    this.#call = first as ToolCall
    this.#id = context.id(this.#call.custom ? 'ctc' : 'fc')
    if (!this.#call.custom) this.#add()
    this.#head = context.streaming && !this.#call.custom ? deltaHead('response.function_call_arguments.delta', this.#place()) : ''
  }

  accepts(event: GenerationEvent): boolean {
    return event.type === 'item-end' || (event.type === 'tool-input' && event.key === this.#call.key)
  }

  write(event: GenerationEvent): void {
    if (event.type === 'item-end') this.#complete = true
    if (event.type !== 'tool-input' || event.text === '') return
    this.#input = appended(this.#input, event.text)
    if (this.#head) this.#context.sendDelta(this.#head, event.text, '')
  }

  /** Vendors may interleave parallel calls: arguments that are not yet a whole JSON document still go on, and free text does until its end is told. */
  get complete(): boolean {
    if (this.#complete || this.#call.custom) return this.#complete
    if (this.#checkedLength !== this.#input.length) {
      this.#checkedLength = this.#input.length
      this.#complete = isJson(this.#input)
    }
    return this.#complete
  }

  close(status: 'completed' | 'incomplete'): JsonObject {
    // The documented table has no events for the input of custom tools: clients that read no finished items find it in the added one.
    if (this.#call.custom) this.#add()
    else this.#context.send('response.function_call_arguments.done', { ...this.#place(), name: this.#call.name, arguments: this.#input })
    const item = this.#item(status)
    this.#context.send('response.output_item.done', { output_index: this.#context.outputIndex, item })
    return item
  }

  #add(): void {
    this.#context.send('response.output_item.added', { output_index: this.#context.outputIndex, item: this.#item('in_progress') })
  }

  #place(): object {
    return { item_id: this.#id, output_index: this.#context.outputIndex, call_id: this.#call.callId }
  }

  #item(status: string): JsonObject {
    const { custom, callId, name, namespace } = this.#call
    const input = custom ? { input: this.#input } : { arguments: this.#input }
    return {
      type: custom ? 'custom_tool_call' : 'function_call',
      id: this.#id,
      call_id: callId,
      name,
      ...(namespace && { namespace }),
      ...input,
      status,
    }
  }
}
