import { definePlugin } from '../../../core/index.ts'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, postJson, searchText } from '../../../core/kit.ts'
import { tavilyCountry } from './countries.ts'

const maxQueryLength = 400
const maxAllowed = 300
const maxBlocked = 150

/** Web search by Tavily. */
export default definePlugin(
  engineDefinition({
    name: 'tavily',
    options: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.tavily.com'),
      searchDepth: {
        enum: ['basic', 'advanced', 'fast', 'ultra-fast'],
        default: 'basic',
        description: 'How thoroughly Tavily searches. It charges twice as much for `advanced`.',
      },
    },
    // https://docs.tavily.com/documentation/api-reference/endpoint/search
    adapter: ({ baseUrl, searchDepth }) => ({
      prepare(query) {
        const { maxResults, allowedDomains, blockedDomains, userLocation } = query
        const country = tavilyCountry(userLocation?.country)
        const place = country === undefined ? (['city', 'region', 'country'] as const) : (['city', 'region'] as const)
        return postJson(baseUrl, '/search', {
          query: searchText(query, { place, maxCharacters: maxQueryLength }),
          max_results: maxResults,
          search_depth: searchDepth,
          country,
          ...(allowedDomains.length > 0 && { include_domains: allowedDomains.slice(0, maxAllowed) }),
          ...(blockedDomains.length > 0 && { exclude_domains: blockedDomains.slice(0, maxBlocked) }),
        })
      },
      pages: ({ results }) =>
        foundPages(results, ({ url, title, content, published_date }) => ({ url, title, text: content, publishedAt: published_date })),
      // The plan's limit, and the limit of pay-as-you-go.
      failureKind: status => (status === 432 || status === 433 ? 'quota' : undefined),
    }),
  }),
)
