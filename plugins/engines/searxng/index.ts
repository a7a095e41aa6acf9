import { definePlugin, ProviderFailure } from '../../../core/index.ts'
import { engineDefinition, engineKeyOption, foundPages, postForm, searchText } from '../../../core/kit.ts'

const names = { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } } as const

/** Web search by your own SearXNG, which asks other search engines. Its `settings.yml` must list `json` under `search.formats`. */
export default definePlugin(
  engineDefinition({
    name: 'searxng',
    required: ['baseUrl'],
    options: {
      baseUrl: { type: 'string', format: 'uri', pattern: '^https?://', description: 'The address of the server, without `/search`.' },
      apiKey: { ...engineKeyOption, description: 'A bearer token, if a proxy in front of the server asks for one.' },
      engines: { ...names, description: 'The engines that SearXNG asks. Default: as its preferences say.' },
      categories: { ...names, description: 'The categories that SearXNG searches. Default: as its preferences say.' },
      language: { type: 'string', minLength: 2, description: 'The language of the results, such as `en`. Default: as its settings say.' },
      safeSearch: {
        enum: [0, 1, 2],
        description: 'How much adult content is left out: 0 none, 1 some, 2 all. Default: as its settings say.',
      },
    },
    // https://docs.searxng.org/dev/search_api.html
    adapter: ({ baseUrl, engines, categories, language, safeSearch }) => ({
      // A form keeps queries out of the access logs of web servers.
      prepare: query =>
        postForm(baseUrl, '/search', {
          q: searchText(query, { sites: true, place: ['city', 'region', 'country'] }),
          format: 'json',
          engines: engines?.join(','),
          categories: categories?.join(','),
          language,
          safesearch: safeSearch,
        }),
      pages({ results, unresponsive_engines: silent }) {
        if (isEmpty(results) && !isEmpty(silent ?? []))
          throw new ProviderFailure({
            kind: 'unavailable',
            message: 'The search engine "searxng" got no answer from the engines behind it.',
          })
        return foundPages(results, ({ url, title, content, publishedDate }) => ({ url, title, text: content, publishedAt: publishedDate }))
      },
      advice: { 403: ' Its settings.yml must list json under search.formats.' },
    }),
  }),
)

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0
}
