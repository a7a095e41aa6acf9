import { isObject, parseJson } from '../../core/index.ts'
import { firstText, membersOf, type Emit, type SearchResult } from '../../core/kit.ts'
import type { Annotation, ChatBody, ExecutedTool } from './wire.ts'

/** The queries and results of a host's searches. Each host reports them in its own members, before, between or after the text. */
export class Searches {
  /** Perplexity: the addresses that the numbers in the text refer to. */
  #numbered: readonly SearchResult[] = []
  readonly #cited = new Map<string, SearchResult>()
  /** Groq: the searches under way. */
  readonly #running = new Set<number>()
  #isTold = false
  /** The number of searches, if the host reports each one. */
  count = 0

  /** Members next to `choices`. Perplexity repeats them in every chunk. */
  beside({ citations, search_results }: ChatBody, hasText: boolean, emit: Emit): void {
    const numbered = numberedResults(listIn(citations), listIn(search_results))
    if (numbered.length === 0) return
    this.#numbered = numbered
    if (!hasText) this.#tell(this.#numbered, emit)
  }

  /** Groq's tools. A stream has each of them twice: when it starts and when it is done. */
  executed(tools: readonly ExecutedTool[], emit: Emit): void {
    for (const { index, type, arguments: input, output, search_results: found } of listIn(tools).map(
      membersOf,
    ) as readonly ExecutedTool[]) {
      if (type !== 'search') continue
      const number = index ?? this.count
      const key = `search_${number}`
      const query = firstText(membersOf(parseJson(input ?? ''))['query']) ?? ''
      const results = listIn(found?.results)
        .map(membersOf)
        .flatMap(({ url, title, content }) => resultOf(url, title, content))
      if (!output && results.length === 0 && !this.#running.has(number)) {
        this.#running.add(number)
        emit({ type: 'search', key, status: 'in_progress', action: { type: 'search', query } })
        continue
      }
      this.#running.delete(number)
      this.count += 1
      this.#isTold = true
      emit({ type: 'search', key, status: 'completed', action: { type: 'search', query, sources: results.map(sourceOf) }, results })
    }
  }

  annotated(annotations: readonly Annotation[]): void {
    for (const { type, url_citation: cited } of annotations) {
      if (type !== 'url_citation') continue
      for (const result of resultOf(cited?.url, cited?.title, cited?.content)) this.#cited.set(result.url, result)
    }
  }

  /** The citations that the text itself makes, as numbers in brackets. */
  marks(text: string, emit: Emit): void {
    if (this.#numbered.length === 0) return
    for (const { 0: mark, 1: number, index } of text.matchAll(/\[(\d{1,3})\]/g)) {
      const source = this.#numbered[Number(number) - 1]
      if (!source?.url) continue
      const citation = { type: 'url_citation', url: source.url, title: source.title ?? '' } as const
      emit({ type: 'annotation', citation, start: index, end: index + mark.length })
    }
  }

  /** Searches that were not reported before the text follow it. */
  end(emit: Emit): void {
    const found = this.#numbered.length > 0 ? this.#numbered : [...this.#cited.values()]
    if (found.length > 0) this.#tell(found, emit)
  }

  #tell(found: readonly SearchResult[], emit: Emit): void {
    if (this.#isTold) return
    this.#isTold = true
    const results = found.filter(({ url }) => url !== '')
    emit({
      type: 'search',
      key: 'search',
      status: 'completed',
      action: { type: 'search', query: '', sources: results.map(sourceOf) },
      results,
    })
  }
}

/** The numbers count the addresses. The other list has the titles and texts. */
function numberedResults(citations: readonly unknown[], searchResults: readonly unknown[]): readonly SearchResult[] {
  const described = searchResults.filter(isObject)
  const known = new Map(described.map(({ url, title, snippet }) => [url, resultOf(url, title, snippet)[0]]))
  const addresses = citations.length > 0 ? citations : described.map(({ url }) => url)
  // An entry without an address keeps its number.
  return addresses.map(url => known.get(url) ?? resultOf(url, undefined, undefined)[0] ?? { url: '' })
}

/** Passes on web addresses only. */
function resultOf(url: unknown, title: unknown, text: unknown): readonly SearchResult[] {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return []
  return [{ url, ...(typeof title === 'string' && title !== '' && { title }), ...(typeof text === 'string' && text !== '' && { text }) }]
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function sourceOf({ url }: SearchResult): { readonly type: 'url'; readonly url: string } {
  return { type: 'url', url }
}
