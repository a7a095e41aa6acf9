import { foundPages, getWith, searchText, type EngineAdapter } from '../../../core/kit.ts'

export interface GoogleOptions {
  readonly baseUrl: string
  readonly engineId: string
  readonly language?: string | undefined
}

const mostResults = 10
const longestQuery = 2_048

/**
 * https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list; the key in a header:
 * https://cloud.google.com/apis/docs/system-parameters
 */
export function googleAdapter({ baseUrl, engineId, language }: GoogleOptions): EngineAdapter {
  return {
    name: 'google',
    prepare(query) {
      const { maxResults, userLocation } = query
      return getWith(baseUrl, '/customsearch/v1', {
        cx: engineId,
        q: searchText(query, { sites: true, place: ['city', 'region'], maximumCharacters: longestQuery }),
        num: Math.min(maxResults, mostResults),
        gl: userLocation?.country?.toLowerCase(),
        hl: language,
      })
    },
    // A reply without results has no member `items`.
    pages: ({ kind, items = [] }) =>
      kind === 'customsearch#search' ? foundPages(items, ({ link, title, snippet }) => ({ url: link, title, text: snippet })) : undefined,
    failureKind(status, { error }) {
      const about = JSON.stringify(error) ?? ''
      if (status === 400 && about.includes('API_KEY_INVALID')) return 'auth'
      return status === 429 && about.includes('per day') ? 'quota' : undefined
    },
  }
}
