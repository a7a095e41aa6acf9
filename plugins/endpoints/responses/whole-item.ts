import type { JsonObject } from '../../../core/index.ts'
import type { ItemContext, OpenItem } from './open-item.ts'

/** An item that arrives whole: a compaction, or an item of a tool that core does not know. */
export class WholeItem implements OpenItem {
  readonly #context: ItemContext
  readonly #item: JsonObject

  constructor(context: ItemContext, item: JsonObject) {
    this.#context = context
    this.#item = item
    const shown = 'status' in item ? { ...item, status: 'in_progress' } : item
    context.send?.('response.output_item.added', { output_index: context.outputIndex, item: shown })
  }

  write(): void {}

  close(): JsonObject {
    this.#context.send?.('response.output_item.done', { output_index: this.#context.outputIndex, item: this.#item })
    return this.#item
  }
}
