import type { GenerationEvent, JsonObject } from '../../../core/index.ts'
import type { ItemContext, OpenItem } from './response-builder.ts'

/** An item that comes all at once: a web search, a compaction, an item of a tool that the caller brought. */
export class WholeItem implements OpenItem {
  readonly complete = true
  readonly #context: ItemContext
  readonly #item: JsonObject

  constructor(context: ItemContext, prefix: string, item: JsonObject) {
    this.#context = context
    this.#item = { ...item, id: context.id(prefix) }
    const shown = 'status' in item ? { ...this.#item, status: 'in_progress' } : this.#item
    context.send('response.output_item.added', { output_index: context.outputIndex, item: shown })
  }

  accepts(_event: GenerationEvent): boolean {
    return false
  }

  write(_event: GenerationEvent): void {}

  close(): JsonObject {
    this.#context.send('response.output_item.done', { output_index: this.#context.outputIndex, item: this.#item })
    return this.#item
  }
}
