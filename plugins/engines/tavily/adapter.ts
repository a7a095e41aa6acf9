import { foundPages, postJson, searchText, type EngineAdapter } from '../../../core/kit.ts'
import { tavilyCountry } from './countries.ts'

export interface TavilyOptions {
  readonly baseUrl: string
  readonly searchDepth: 'basic' | 'advanced' | 'fast' | 'ultra-fast'
}

const longestQuery = 400
const mostAllowed = 300
const mostBlocked = 150

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export function tavilyAdapter({ baseUrl, searchDepth }: TavilyOptions): EngineAdapter {
  return {
    name: 'tavily',
    prepare(query) {
      const { maxResults, allowedDomains, blockedDomains, userLocation } = query
      const country = tavilyCountry(userLocation?.country)
      const place = country === undefined ? (['city', 'region', 'country'] as const) : (['city', 'region'] as const)
      return postJson(baseUrl, '/search', {
        query: searchText(query, { place, maximumCharacters: longestQuery }),
        max_results: maxResults,
        search_depth: searchDepth,
        country,
        ...(allowedDomains.length > 0 && { include_domains: allowedDomains.slice(0, mostAllowed) }),
        ...(blockedDomains.length > 0 && { exclude_domains: blockedDomains.slice(0, mostBlocked) }),
      })
    },
    pages: ({ results }) =>
      foundPages(results, ({ url, title, content, published_date }) => ({ url, title, text: content, publishedAt: published_date })),
    // The plan's limit, and the limit of pay-as-you-go.
    failureKind: status => (status === 432 || status === 433 ? 'quota' : undefined),
  }
}
