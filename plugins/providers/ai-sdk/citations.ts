import type { LanguageModelV2Source, LanguageModelV3Source, LanguageModelV4Citation, LanguageModelV4Source } from '@ai-sdk/provider'
import type { Emit } from '../../../core/index.ts'

type Source = LanguageModelV2Source | LanguageModelV3Source | LanguageModelV4Source

/** What an answer rests on. Only v4 says where in the text; a source of older packages stands for the text that it came with. */
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
   * The answer is over; `messageLength` is 0 where no message is open to which the sources could belong. `found`: they are all that
   * a search of the vendor's brought, cited or not.
   */
  end(messageLength: number, found: boolean): void {
    if (found || messageLength <= this.#start) return
    for (const source of this.#sources) if (!this.#isCited(source)) this.#annotate(source, this.#start, messageLength)
  }

  #isCited(source: Source): boolean {
    return source.sourceType === 'url' && this.#cited.has(source.url)
  }

  /** Of documents that were sent along there is no address that a reader could follow. */
  #annotate(source: Source, start: number, end: number): void {
    if (source.sourceType !== 'url') return
    this.#emit({ type: 'annotation', citation: { type: 'url_citation', url: source.url, title: source.title ?? '' }, start, end })
  }
}
