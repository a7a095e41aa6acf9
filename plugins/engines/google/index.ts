import { definePlugin } from '../../../core/index.ts'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, getWith, searchText } from '../../../core/kit.ts'

const maxPages = 10
const maxQueryLength = 2_048

/** Web search by Google's Programmable Search Engine. */
export default definePlugin(
  engineDefinition({
    name: 'google',
    keyHeader: 'x-goog-api-key',
    required: ['apiKey', 'engineId'],
    options: {
      apiKey: engineKeyOption,
      engineId: { type: 'string', minLength: 1, description: 'The id of your Programmable Search Engine, which Google calls `cx`.' },
      baseUrl: engineBaseUrl('https://customsearch.googleapis.com'),
      language: {
        type: 'string',
        minLength: 2,
        description: 'The language of the user interface, such as `en`. Default: as Google decides.',
      },
    },
    // https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
    // The key in a header: https://cloud.google.com/apis/docs/system-parameters
    adapter: ({ baseUrl, engineId, language }) => ({
      prepare(query) {
        const { maxResults, userLocation } = query
        return getWith(baseUrl, '/customsearch/v1', {
          cx: engineId,
          q: searchText(query, { sites: true, place: ['city', 'region'], maxCharacters: maxQueryLength }),
          num: Math.min(maxResults, maxPages),
          gl: userLocation?.country?.toLowerCase(),
          hl: language,
        })
      },
      // A reply without results has no member `items`.
      pages: ({ kind, items = [] }) =>
        kind === 'customsearch#search' ? foundPages(items, ({ link, title, snippet }) => ({ url: link, title, text: snippet })) : undefined,
      failureKind(status, { error }) {
        const about = JSON.stringify(error) ?? ''
        if (status === 400 && about.includes('API_KEY_INVALID')) return 'auth'
        return status === 429 && about.includes('per day') ? 'quota' : undefined
      },
    }),
  }),
)
