import { ProviderFailure } from '../../../core/index.ts'
import { foundPages, postForm, searchText, type EngineAdapter } from '../../../core/kit.ts'

export interface SearxngOptions {
  readonly baseUrl: string
  readonly engines?: readonly string[] | undefined
  readonly categories?: readonly string[] | undefined
  readonly language?: string | undefined
  readonly safeSearch?: 0 | 1 | 2 | undefined
}

/** https://docs.searxng.org/dev/search_api.html */
export function searxngAdapter({ baseUrl, engines, categories, language, safeSearch }: SearxngOptions): EngineAdapter {
  return {
    name: 'searxng',
    // A form keeps queries out of the access logs of web servers.
    prepare: query =>
      postForm(baseUrl, '/search', {
        q: searchText(query, { sites: true, place: ['city', 'region', 'country'] }),
        format: 'json',
        engines: engines?.join(','),
        categories: categories?.join(','),
        language,
        safesearch: safeSearch,
      }),
    pages({ results, unresponsive_engines: silent }) {
      if (isEmpty(results) && !isEmpty(silent ?? []))
        throw new ProviderFailure({ kind: 'unavailable', message: 'The search engine "searxng" got no answer from the engines behind it.' })
      return foundPages(results, ({ url, title, content, publishedDate }) => ({ url, title, text: content, publishedAt: publishedDate }))
    },
    advice: { 403: ' Its settings.yml must list json under search.formats.' },
  }
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0
}
