import { definePlugin } from '../../../core/index.ts'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, postJson, searchText } from '../../../core/kit.ts'

/** Web search by Kagi. */
export default definePlugin(
  engineDefinition({
    name: 'kagi',
    options: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://kagi.com/api/v1'),
      safeSearch: { type: 'boolean', default: true, description: 'true: Kagi leaves out adult content.' },
    },
    // https://github.com/kagisearch/kagi-openapi-python/blob/main/docs/SearchApi.md
    adapter: ({ baseUrl, safeSearch }) => ({
      prepare(query) {
        const { maxResults, allowedDomains, blockedDomains, userLocation } = query
        const lens = {
          ...(allowedDomains.length > 0 && { sites_included: allowedDomains }),
          ...(blockedDomains.length > 0 && { sites_excluded: blockedDomains }),
          ...(userLocation?.country && { search_region: userLocation.country }),
        }
        return postJson(baseUrl, '/search', {
          query: searchText(query, { place: ['city', 'region'] }),
          workflow: 'search',
          limit: maxResults,
          safe_search: safeSearch,
          ...(Object.keys(lens).length > 0 && { lens }),
        })
      },
      // `data` holds a list per kind of result, and leaves out those that are empty.
      pages({ data }) {
        if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
        const { search = [] } = data as { readonly search?: unknown }
        return foundPages(search, ({ url, title, snippet, time }) => ({ url, title, text: snippet, publishedAt: time }))
      },
    }),
  }),
)
