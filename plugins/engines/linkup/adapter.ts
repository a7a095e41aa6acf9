import { foundPages, postJson, searchText, type EngineAdapter } from '../../../core/kit.ts'

export interface LinkupOptions {
  readonly baseUrl: string
  readonly depth: 'fast' | 'standard' | 'deep'
}

const outOfCredit: ReadonlySet<unknown> = new Set(['INSUFFICIENT_FUNDS_CREDITS', 'EXCEED_BUDGET_LIMIT'])

/** https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search */
export function linkupAdapter({ baseUrl, depth }: LinkupOptions): EngineAdapter {
  return {
    name: 'linkup',
    prepare(query) {
      const { maxResults, allowedDomains, blockedDomains } = query
      return postJson(baseUrl, '/search', {
        q: searchText(query, { place: ['city', 'region', 'country'] }),
        depth,
        outputType: 'searchResults',
        maxResults,
        ...(allowedDomains.length > 0 && { includeDomains: allowedDomains }),
        ...(blockedDomains.length > 0 && { excludeDomains: blockedDomains }),
      })
    },
    pages: ({ results }) => foundPages(results, ({ url, name, content }) => ({ url, title: name, text: content })),
    pagesInError: (_status, { error }) => (codeOf(error) === 'SEARCH_QUERY_NO_RESULT' ? [] : undefined),
    // Both are a 429.
    failureKind: (_status, { error }) => (outOfCredit.has(codeOf(error)) ? 'quota' : undefined),
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null | undefined)?.code
}
