import { definePlugin } from '../../../core/index.ts'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, postJson, searchText } from '../../../core/kit.ts'

const maxPages = 20
const maxDomains = 20

/** Web search by Perplexity: its index, without its models. */
export default definePlugin(
  engineDefinition({
    name: 'perplexity',
    options: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.perplexity.ai'),
      maximumPageTokens: { type: 'integer', minimum: 1, default: 512, description: 'The most tokens that Perplexity sends of each page.' },
    },
    // https://docs.perplexity.ai/api-reference/search-post
    adapter: ({ baseUrl, maximumPageTokens }) => ({
      prepare(query) {
        const { maxResults, allowedDomains, blockedDomains, userLocation } = query
        // The list either allows or blocks.
        const domains = allowedDomains.length > 0 ? allowedDomains : blockedDomains.map(domain => `-${domain}`)
        return postJson(baseUrl, '/search', {
          query: searchText(query, { place: ['city', 'region'] }),
          max_results: Math.min(maxResults, maxPages),
          max_tokens_per_page: maximumPageTokens,
          country: userLocation?.country,
          ...(domains.length > 0 && { search_domain_filter: domains.slice(0, maxDomains) }),
        })
      },
      pages: ({ results }) => foundPages(results, ({ url, title, snippet, date }) => ({ url, title, text: snippet, publishedAt: date })),
    }),
  }),
)
