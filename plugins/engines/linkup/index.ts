import { definePlugin } from '../../../core/index.ts'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, postJson, searchText } from '../../../core/kit.ts'

const outOfCredit: ReadonlySet<unknown> = new Set(['INSUFFICIENT_FUNDS_CREDITS', 'EXCEED_BUDGET_LIMIT'])

/** Web search by Linkup. */
export default definePlugin(
  engineDefinition({
    name: 'linkup',
    options: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.linkup.so/v1'),
      depth: {
        enum: ['fast', 'standard', 'deep'],
        default: 'standard',
        description: 'How thoroughly Linkup searches. `deep` may take half a minute, so raise timeoutMs with it.',
      },
    },
    // https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search
    adapter: ({ baseUrl, depth }) => ({
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
    }),
  }),
)

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null | undefined)?.code
}
