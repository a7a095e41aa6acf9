import type { LanguageModelV2Source, LanguageModelV3Source, LanguageModelV4Citation, LanguageModelV4Source } from '@ai-sdk/provider'
import type { Emit } from '../../../core/kit.ts'

type Source = LanguageModelV2Source | LanguageModelV3Source | LanguageModelV4Source

/** The sources of an answer. Only v4 gives their place in the text. In older packages, a source covers the text that it came with. */
export class Citations {
  readonly #emit: Emit
  readonly #cited = new Set<string>()
  readonly #sources: Source[] = []
  /** Where the last text of the open message starts. */
  #start = 0

  constructor(emit: Emit) {
    this.#emit = emit
  }

  source(source: Source, messageLength: number): void {
    if (messageLength === 0) this.#start = 0
    this.#sources.push(source)
  }

  /** A text from `start` to `end` of its message is over. */
  endText(citations: readonly LanguageModelV4Citation[], start: number, end: number): void {
    this.#start = start
    for (const { source, startIndex, endIndex } of citations) {
      if (source.sourceType === 'url') this.#cited.add(source.url)
      this.#annotate(source, start + (startIndex ?? 0), endIndex === undefined ? end : start + endIndex)
    }
  }

  /**
   * Ends the answer. `messageLength` is 0 if no message is open that the sources could belong to. `found`: the sources are all results
   * of a vendor's search, cited or not.
   */
  end(messageLength: number, found: boolean): void {
    if (found || messageLength <= this.#start) return
    for (const source of this.#sources) if (!this.#isCited(source)) this.#annotate(source, this.#start, messageLength)
  }

  #isCited(source: Source): boolean {
    return source.sourceType === 'url' && this.#cited.has(source.url)
  }

  /** Skips documents from the request, which have no address for a reader to follow. */
  #annotate(source: Source, start: number, end: number): void {
    if (source.sourceType !== 'url') return
    this.#emit({ type: 'annotation', citation: { type: 'url_citation', url: source.url, title: source.title ?? '' }, start, end })
  }
}
