import type { GenerationEvent } from '../../../core/index.ts'
import type { Citation, SearchResult } from '../../../core/kit.ts'
import type { WireCandidate, WireSource, WireSupport } from './wire-reply.ts'

type Annotation = Extract<GenerationEvent, { readonly type: 'annotation' }>

/** The sources of an answer. In a stream, each piece holds only new sources, so this collects them. */
export class Grounding {
  readonly #sources: SearchResult[] = []
  readonly #queries: string[] = []
  readonly #supports: WireSupport[] = []
  readonly #recited: WireSource[] = []

  add({ groundingMetadata, citationMetadata }: WireCandidate): void {
    for (const { web } of groundingMetadata?.groundingChunks ?? []) this.#sources.push({ url: web?.uri ?? '', title: web?.title ?? '' })
    for (const query of groundingMetadata?.webSearchQueries ?? []) if (!this.#queries.includes(query)) this.#queries.push(query)
    this.#supports.push(...(groundingMetadata?.groundingSupports ?? []))
    this.#recited.push(...(citationMetadata?.citations ?? citationMetadata?.citationSources ?? []))
  }

  /** The number of searches. */
  get searches(): number {
    return this.#queries.length
  }

  /** The citations of the message that starts at `from`. Leaves out a citation whose place cannot be found. */
  annotations(text: string, from: number): readonly Annotation[] {
    if (this.#supports.length === 0 && this.#recited.length === 0) return []
    const places = new Places(text)
    const supported = this.#supports.flatMap(({ segment, groundingChunkIndices }) => {
      const place = places.find(segment?.startIndex ?? 0, segment?.endIndex ?? 0, segment?.text)
      return (groundingChunkIndices ?? []).map(index => ({ place, source: this.#sources[index] }))
    })
    const recited = this.#recited.map(({ startIndex = 0, endIndex = 0, uri = '', title = '' }) => ({
      place: places.find(startIndex, endIndex, undefined),
      source: { url: uri, title },
    }))
    return [...supported, ...recited].flatMap(({ place, source }): readonly Annotation[] => {
      if (!place || !source?.url || place.start < from) return []
      const citation: Citation = { type: 'url_citation', url: source.url, title: source.title ?? '' }
      return [{ type: 'annotation', citation, start: place.start - from, end: place.end - from }]
    })
  }

  /** The search. The vendor reports it after the text. */
  search(): GenerationEvent | undefined {
    const [query] = this.#queries
    if (query === undefined) return undefined
    const results = this.#sources.filter(({ url }) => url !== '')
    return {
      type: 'search',
      key: 'search',
      status: 'completed',
      action: { type: 'search', query, queries: this.#queries, sources: results.map(({ url }) => ({ type: 'url', url })) },
      results,
    }
  }
}

/** Finds segments of a text by byte offsets. */
class Places {
  readonly #text: string
  readonly #bytes: Buffer

  constructor(text: string) {
    this.#text = text
    this.#bytes = Buffer.from(text)
  }

  /** UTF-16 offsets. Byte offsets are relative to one part, which may not be the first, so this also compares the segment's text. */
  find(startByte: number, endByte: number, segment: string | undefined): { readonly start: number; readonly end: number } | undefined {
    if (startByte < endByte && endByte <= this.#bytes.byteLength) {
      const start = this.#bytes.toString('utf8', 0, startByte).length
      const end = start + this.#bytes.toString('utf8', startByte, endByte).length
      if (segment === undefined || this.#text.slice(start, end) === segment) return { start, end }
    }
    const start = segment ? this.#text.indexOf(segment) : -1
    return start < 0 ? undefined : { start, end: start + segment!.length }
  }
}
