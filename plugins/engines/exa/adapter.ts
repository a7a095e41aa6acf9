import { foundPages, postJson, searchText, type EngineAdapter } from '../../../core/kit.ts'

export interface ExaOptions {
  readonly baseUrl: string
  readonly searchType: 'auto' | 'fast' | 'instant' | 'deep'
  readonly content: 'highlights' | 'text'
  readonly maximumCharacters: number
}

/** https://docs.exa.ai/reference/search */
export function exaAdapter({ baseUrl, searchType, content, maximumCharacters }: ExaOptions): EngineAdapter {
  return {
    name: 'exa',
    prepare(query) {
      const { maxResults, allowedDomains, blockedDomains, userLocation } = query
      return postJson(baseUrl, '/search', {
        query: searchText(query, { place: ['city', 'region'] }),
        type: searchType,
        numResults: maxResults,
        contents: { [content]: { maxCharacters: maximumCharacters } },
        userLocation: userLocation?.country,
        ...(allowedDomains.length > 0 && { includeDomains: allowedDomains }),
        ...(blockedDomains.length > 0 && { excludeDomains: blockedDomains }),
      })
    },
    pages: ({ results }) =>
      foundPages(results, ({ url, title, highlights, text, publishedDate }) => ({
        url,
        title,
        text: content === 'text' ? text : highlights,
        publishedAt: publishedDate,
      })),
  }
}
