import type { JsonObject } from '../../../core/index.ts'
import type { ItemDelta, SearchAction, SearchResult } from '../../../core/kit.ts'

type Annotation = Extract<ItemDelta, { type: 'annotation' }>

/** What a vendor of another API cites and searches, as `groundingMetadata`. */
export class Citations {
  readonly #chunks: JsonObject[] = []
  readonly #places = new Map<string, number>()
  readonly #supports: JsonObject[] = []
  readonly #queries: string[] = []

  /** A search. Its pages come first, cited or not. */
  searched(action: SearchAction, results: readonly SearchResult[] | undefined): void {
    if (action.type !== 'search') return
    for (const query of action.queries ?? [action.query]) if (query !== '' && !this.#queries.includes(query)) this.#queries.push(query)
    const pages = results ?? action.sources ?? []
    for (const page of pages) this.#chunk(page.url, { web: { uri: page.url, title: ('title' in page && page.title) || page.url } })
  }

  /** The citations of a message. `partIndex`: the part with its text, if the caller can count parts. */
  cite(annotations: readonly Annotation[], text: string, partIndex: number | undefined): void {
    for (const { citation, start, end } of annotations) {
      const last = Math.min(end, text.length)
      const first = Math.min(start, last)
      const chunk =
        citation.type === 'url_citation'
          ? this.#chunk(citation.url, { web: { uri: citation.url, title: citation.title || citation.url } })
          : this.#chunk(citation.file_id, { retrievedContext: { title: citation.filename || citation.file_id } })
      this.#supports.push({
        segment: {
          ...(partIndex ? { partIndex } : {}),
          startIndex: Buffer.byteLength(text.slice(0, first)),
          endIndex: Buffer.byteLength(text.slice(0, last)),
          text: text.slice(first, last),
        },
        groundingChunkIndices: [chunk],
      })
    }
  }

  get metadata(): JsonObject | undefined {
    if (this.#chunks.length === 0 && this.#queries.length === 0) return undefined
    return {
      ...(this.#queries.length > 0 && { webSearchQueries: this.#queries }),
      ...(this.#chunks.length > 0 && { groundingChunks: this.#chunks }),
      ...(this.#supports.length > 0 && { groundingSupports: this.#supports }),
    }
  }

  #chunk(address: string, chunk: JsonObject): number {
    const known = this.#places.get(address)
    if (known !== undefined) return known
    this.#places.set(address, this.#chunks.length)
    return this.#chunks.push(chunk) - 1
  }
}
