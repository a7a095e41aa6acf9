import { foundPages, postJson, searchText, type EngineAdapter } from '../../../core/kit.ts'

export interface KagiOptions {
  readonly baseUrl: string
  readonly safeSearch: boolean
}

/** https://github.com/kagisearch/kagi-openapi-python/blob/main/docs/SearchApi.md */
export function kagiAdapter({ baseUrl, safeSearch }: KagiOptions): EngineAdapter {
  return {
    name: 'kagi',
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
  }
}
