import { definePlugin } from '../../../core/index.ts'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, postJson, searchText } from '../../../core/kit.ts'

const maxQueryLength = 2_048

/** Google's results by Serper. */
export default definePlugin(
  engineDefinition({
    name: 'serper',
    keyHeader: 'x-api-key',
    options: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://google.serper.dev'),
      language: { type: 'string', minLength: 2, description: 'The language of the results, such as `en`. Default: as Serper decides.' },
    },
    // https://serper.dev/playground
    adapter: ({ baseUrl, language }) => ({
      prepare: query =>
        postJson(baseUrl, '/search', {
          q: searchText(query, { sites: true, place: ['city', 'region'], maxCharacters: maxQueryLength }),
          num: query.maxResults,
          gl: query.userLocation?.country?.toLowerCase(),
          hl: language,
        }),
      pages: ({ organic }) =>
        foundPages(organic, ({ link, title, snippet, date }) => ({ url: link, title, text: snippet, publishedAt: date })),
      // The only sign is a 400 with a sentence.
      failureKind: (_status, { message }) => (typeof message === 'string' && /not enough credits/i.test(message) ? 'quota' : undefined),
    }),
  }),
)
