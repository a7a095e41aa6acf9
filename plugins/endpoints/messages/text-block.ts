import type { JsonObject } from '../../../core/index.ts'
import { appended, type Citation, type ItemDelta } from '../../../core/kit.ts'
import { deltaFrame, deltaHead } from './frames.ts'
import type { BlockContext, OpenBlock } from './open-block.ts'

type Annotation = Extract<ItemDelta, { type: 'annotation' }>

/** A `text` block: a message of the model. */
export class TextBlock implements OpenBlock {
  readonly #context: BlockContext
  readonly #extra: JsonObject
  readonly #index: number
  readonly #head: string
  #text = ''
  #annotations: Annotation[] | undefined
  /** In the words of the vendor. */
  #citations: readonly JsonObject[] | undefined

  constructor(context: BlockContext, { citations, ...extra }: JsonObject) {
    this.#context = context
    this.#extra = extra
    this.#index = context.start({ type: 'text', text: '', ...extra, ...(Array.isArray(citations) && { citations: [] }) })
    this.#head = context.streaming ? deltaHead(this.#index, 'text_delta', 'text') : ''
    if (Array.isArray(citations)) this.#cite(citations)
  }

  write(event: ItemDelta): void {
    if (event.type === 'annotation') (this.#annotations ??= []).push(event)
    if (event.type !== 'text' && event.type !== 'refusal') return
    this.#text = appended(this.#text, event)
    if (this.#head && event.text !== '') this.#context.write(deltaFrame(this.#head, event.text))
    if (event.type === 'refusal') this.#context.refused(event.text)
  }

  extra({ citations }: JsonObject): void {
    if (Array.isArray(citations)) this.#cite(citations)
  }

  close(): void {
    // The vendor's own say the same, and more.
    if (!this.#citations && this.#annotations) this.#cite(this.#annotations.map(each => citationOf(each, this.#text)))
    const block = { type: 'text', text: this.#text, ...this.#extra, ...(this.#citations && { citations: this.#citations }) }
    this.#context.stop(this.#index, block)
  }

  #cite(citations: readonly JsonObject[]): void {
    this.#citations = [...(this.#citations ?? []), ...citations]
    for (const citation of citations) this.#context.delta(this.#index, { type: 'citations_delta', citation })
  }
}

/** A citation of another dialect. Its `encrypted_index` is empty, so that it is never sent to a vendor. */
function citationOf({ citation, start, end }: Annotation, text: string): JsonObject {
  const last = Math.min(end, text.length)
  const cited_text = text.slice(Math.min(start, last), last)
  if (citation.type === 'url_citation')
    return { type: 'web_search_result_location', cited_text, encrypted_index: '', title: citation.title || null, url: citation.url }
  return { ...fileOf(citation), type: 'char_location', cited_text, start_char_index: start, end_char_index: last, encrypted_index: '' }
}

function fileOf(citation: Exclude<Citation, { type: 'url_citation' }>): JsonObject {
  const { file_id, filename } = citation
  return { document_index: 'index' in citation ? citation.index : 0, document_title: filename || null, file_id }
}
