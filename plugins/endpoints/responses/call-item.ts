import type { JsonObject } from '../../../core/index.ts'
import { appended, type ItemDelta, type OpenedCall } from '../../../core/kit.ts'
import { deltaHead } from './frames.ts'
import type { ItemContext, OpenItem } from './open-item.ts'

/** A `function_call` or `custom_tool_call`. */
export class CallItem implements OpenItem {
  readonly #context: ItemContext
  readonly #call: OpenedCall
  readonly #head: string
  #input = ''

  constructor(context: ItemContext, call: OpenedCall) {
    this.#context = context
    this.#call = call
    if (!call.custom) this.#add()
    this.#head =
      context.streaming && !call.custom ? deltaHead(context.framing, 'response.function_call_arguments.delta', this.#place()) : ''
  }

  get characters(): number {
    return this.#input.length
  }

  write(event: ItemDelta): void {
    if (event.type !== 'tool-input') return
    this.#input = appended(this.#input, event)
    if (this.#head) this.#context.sendDelta(this.#head, event.text, '')
  }

  close(status: 'completed' | 'incomplete'): JsonObject {
    // The documented events have none for the input of custom tools. Clients that ignore finished items find it in the added one.
    if (this.#call.custom) this.#add()
    else {
      const done = { ...this.#place(), name: this.#call.name, arguments: this.#input }
      this.#context.send?.('response.function_call_arguments.done', done, this.characters)
    }
    const item = this.#item(status)
    this.#context.send?.('response.output_item.done', { output_index: this.#context.outputIndex, item }, this.characters)
    return item
  }

  #add(): void {
    const item = this.#item('in_progress')
    this.#context.send?.('response.output_item.added', { output_index: this.#context.outputIndex, item }, this.characters)
  }

  #place(): object {
    return { item_id: this.#call.id, output_index: this.#context.outputIndex, call_id: this.#call.callId }
  }

  #item(status: string): JsonObject {
    const { id, custom, callId, name, namespace } = this.#call
    const input = custom ? { input: this.#input } : { arguments: this.#input }
    return {
      type: custom ? 'custom_tool_call' : 'function_call',
      id,
      call_id: callId,
      name,
      ...(namespace && { namespace }),
      ...input,
      status,
    }
  }
}
