import { isObject } from '../../foundation/json.ts'

export interface CitedPage {
  readonly url: string
  readonly title: string
}

interface Found {
  readonly page: CitedPage
  readonly length: number
}

/** One answer has at most a few hundred. */
const maxPages = 2_000
const maxUrlLength = 2_048
const maxTitleLength = 300
const maxTrimmed = 8
/** Text runs on behind an address: punctuation and marks that stand at its end. */
const trailing = /[.,;:!?'*_~)\]-]$/
/** The pages that an answer may cite, by their addresses. */
export class CitedPages {
  readonly #pages = new Map<string, CitedPage>()
  /** The first section of a page, by the address of the page. */
  readonly #firstOf = new Map<string, CitedPage>()

  get isEmpty(): boolean {
    return this.#pages.size === 0
  }

  clear(): void {
    this.#pages.clear()
    this.#firstOf.clear()
  }

  /** Adds the finds of a search: its `results` and the `sources` of its `action`. Callers may have made them up. */
  add(action: unknown, results: unknown): void {
    for (const list of [results, isObject(action) ? action['sources'] : undefined])
      if (Array.isArray(list)) for (const page of list as readonly unknown[]) if (isObject(page)) this.#add(page['url'], page['title'])
  }

  /** The page at the beginning of a text that looks like an address, and the length of its address there. */
  find(text: string): Found | undefined {
    // A footnote may follow.
    const at = text.indexOf('[')
    return this.#beginning(text) ?? (at > 0 ? this.#beginning(text.slice(0, at)) : undefined)
  }

  #beginning(text: string): Found | undefined {
    let address = text
    for (let trimmed = 0; ; trimmed++) {
      const page = this.#pages.get(canonical(address) ?? '')
      // A full stop behind a slash would be read as part of the path.
      if (page && !address.endsWith('/.')) return { page, length: address.length }
      if (trimmed === maxTrimmed || !trailing.test(address)) break
      address = address.slice(0, -1)
    }
    // Another section of a page, perhaps.
    const whole = withoutFragment(canonical(address) ?? '')
    const page = this.#pages.get(whole) ?? this.#firstOf.get(whole)
    return page && { page, length: address.length }
  }

  #add(url: unknown, title: unknown): void {
    if (typeof url !== 'string' || url.length > maxUrlLength || this.#pages.size === maxPages) return
    const address = canonical(url)
    if (address === undefined || this.#pages.has(address)) return
    const page = { url, title: typeof title === 'string' ? title.slice(0, maxTitleLength) : new URL(url).hostname }
    this.#pages.set(address, page)
    const whole = withoutFragment(address)
    if (whole !== address && !this.#firstOf.has(whole)) this.#firstOf.set(whole, page)
  }
}

/** The same for addresses that differ only in how they are written. */
function canonical(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).href.replace(/\/(?=#|$)/, '') : undefined
}

function withoutFragment(address: string): string {
  return address.replace(/#.*$/, '')
}
