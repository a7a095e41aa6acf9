import type { JsonObject } from '../../../core/index.ts'
import { appended, type ItemDelta, type OpenedReasoning } from '../../../core/kit.ts'
import { deltaHead } from './frames.ts'
import type { ItemContext, OpenItem } from './open-item.ts'

interface OpenPart {
  readonly form: 'summary' | 'full'
  readonly head: string
  text: string
}

/** A `reasoning` item: parts of summary, then parts of full text, then the provider's sealed state. */
export class ReasoningItem implements OpenItem {
  readonly #context: ItemContext
  readonly #id: string
  readonly #summary: JsonObject[] = []
  readonly #content: JsonObject[] = []
  #part: OpenPart | undefined
  #state: string | undefined
  #characters = 0

  constructor(context: ItemContext, { id }: OpenedReasoning) {
    this.#context = context
    this.#id = id
    context.send?.('response.output_item.added', {
      output_index: context.outputIndex,
      item: { type: 'reasoning', id: this.#id, status: 'in_progress', summary: [] },
    })
  }

  get characters(): number {
    return this.#characters + (this.#state?.length ?? 0)
  }

  write(event: ItemDelta): void {
    if (event.type === 'reasoning-state') {
      this.#state = event.opaque
      return
    }
    if (event.type !== 'reasoning') return
    const part = this.#part?.form === event.form && !event.newPart ? this.#part : this.#openPart(event.form)
    part.text = appended(part.text, event)
    if (part.head && event.text !== '') this.#context.sendDelta(part.head, event.text, '')
  }

  close(status: 'completed' | 'incomplete'): JsonObject {
    this.#closePart()
    const shown = this.#state !== undefined && this.#context.request.include?.includes('reasoning.encrypted_content')
    const item = {
      type: 'reasoning',
      id: this.#id,
      status,
      summary: this.#summary,
      ...(this.#content.length > 0 && { content: this.#content }),
      ...(shown && { encrypted_content: this.#state }),
    }
    this.#context.send?.('response.output_item.done', { output_index: this.#context.outputIndex, item }, this.characters)
    return item
  }

  #openPart(form: 'summary' | 'full'): OpenPart {
    this.#closePart()
    const place = this.#place(form)
    if (form === 'summary')
      this.#context.send?.('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } })
    else this.#context.send?.('response.content_part.added', { ...place, part: { type: 'reasoning_text', text: '' } })
    const type = form === 'summary' ? 'response.reasoning_summary_text.delta' : 'response.reasoning_text.delta'
    this.#part = { form, head: this.#context.streaming ? deltaHead(this.#context.framing, type, place) : '', text: '' }
    return this.#part
  }

  #closePart(): void {
    if (!this.#part) return
    const { form, text } = this.#part
    const place = this.#place(form)
    this.#characters += text.length
    if (form === 'summary') {
      const part = { type: 'summary_text', text }
      this.#context.send?.('response.reasoning_summary_text.done', { ...place, text }, text.length)
      this.#context.send?.('response.reasoning_summary_part.done', { ...place, part }, text.length)
      this.#summary.push(part)
    } else {
      const part = { type: 'reasoning_text', text }
      this.#context.send?.('response.reasoning_text.done', { ...place, text }, text.length)
      this.#context.send?.('response.content_part.done', { ...place, part }, text.length)
      this.#content.push(part)
    }
    this.#part = undefined
  }

  #place(form: 'summary' | 'full'): object {
    const place = { item_id: this.#id, output_index: this.#context.outputIndex }
    return form === 'summary' ? { ...place, summary_index: this.#summary.length } : { ...place, content_index: this.#content.length }
  }
}
