import { isObject } from '../../foundation/json.ts'

export interface CitedPage {
  readonly url: string
  readonly title: string
}

/** One answer has at most a few hundred. */
const mostPages = 2_000
const longestUrl = 2_048
const longestTitle = 300
const mostTrimmed = 8
/** Text runs on behind an address: punctuation and marks that stand at its end. */
const trailing = /[.,;:!?'*_~)\]-]$/
/** The pages that an answer may cite, by their addresses. */
export class CitedPages {
  readonly #pages = new Map<string, CitedPage>()

  get isEmpty(): boolean {
    return this.#pages.size === 0
  }

  clear(): void {
    this.#pages.clear()
  }

  /** Adds what a search found: its `results` and the `sources` of its `action`. Callers may have made them up. */
  add(action: unknown, results: unknown): void {
    for (const list of [results, isObject(action) ? action['sources'] : undefined])
      if (Array.isArray(list)) for (const page of list as readonly unknown[]) if (isObject(page)) this.#add(page['url'], page['title'])
  }

  /** The page at the beginning of a text that looks like an address, and the length of its address there. */
  find(text: string): { readonly page: CitedPage; readonly length: number } | undefined {
    // A footnote may follow.
    const at = text.indexOf('[')
    return this.#trimmed(text) ?? (at > 0 ? this.#trimmed(text.slice(0, at)) : undefined)
  }

  #trimmed(text: string): { readonly page: CitedPage; readonly length: number } | undefined {
    let address = text
    for (let trimmed = 0; trimmed <= mostTrimmed; trimmed++) {
      const page = this.#pages.get(canonical(address) ?? '')
      if (page) return { page, length: address.length }
      if (!trailing.test(address)) return undefined
      address = address.slice(0, -1)
    }
    return undefined
  }

  #add(url: unknown, title: unknown): void {
    if (typeof url !== 'string' || url.length > longestUrl || this.#pages.size === mostPages) return
    const address = canonical(url)
    if (address === undefined || this.#pages.has(address)) return
    this.#pages.set(address, { url, title: typeof title === 'string' ? title.slice(0, longestTitle) : new URL(url).hostname })
  }
}

/** The same for addresses that differ only in how they are written, or in a fragment. */
function canonical(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  url.hash = ''
  return url.href.replace(/\/$/, '')
}
