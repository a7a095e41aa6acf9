import { foundPages, postJson, searchText, type EngineAdapter } from '../../../core/kit.ts'

export interface PerplexityOptions {
  readonly baseUrl: string
  readonly maximumPageTokens: number
}

const mostResults = 20
const mostDomains = 20

/** https://docs.perplexity.ai/api-reference/search-post */
export function perplexityAdapter({ baseUrl, maximumPageTokens }: PerplexityOptions): EngineAdapter {
  return {
    name: 'perplexity',
    prepare(query) {
      const { maxResults, allowedDomains, blockedDomains, userLocation } = query
      // The list either allows or blocks.
      const domains = allowedDomains.length > 0 ? allowedDomains : blockedDomains.map(domain => `-${domain}`)
      return postJson(baseUrl, '/search', {
        query: searchText(query, { place: ['city', 'region'] }),
        max_results: Math.min(maxResults, mostResults),
        max_tokens_per_page: maximumPageTokens,
        country: userLocation?.country,
        ...(domains.length > 0 && { search_domain_filter: domains.slice(0, mostDomains) }),
      })
    },
    pages: ({ results }) => foundPages(results, ({ url, title, snippet, date }) => ({ url, title, text: snippet, publishedAt: date })),
  }
}
