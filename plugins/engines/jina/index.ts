import { definePlugin } from '../../../core/index.ts'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, placeWords, postJson, searchText } from '../../../core/kit.ts'

/** The vendor's code for no results. */
const nothingFound = 42_206

/** Web search by Jina. */
export default definePlugin(
  engineDefinition({
    name: 'jina',
    options: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://s.jina.ai'),
      content: {
        type: 'boolean',
        default: false,
        description:
          'true: Jina also reads each page and sends its text instead of a description. It is slower, and Jina charges for the tokens.',
      },
    },
    // https://jina.ai/reader#apiform, "Search"
    adapter: ({ baseUrl, content }) => ({
      prepare(query) {
        const { maxResults, userLocation } = query
        const body = {
          q: searchText(query, { sites: true, place: ['region'] }),
          num: maxResults,
          gl: userLocation?.country,
          location: placeWords(userLocation, ['city']) || undefined,
        }
        return postJson(baseUrl, '/', body, content ? {} : { 'x-respond-with': 'no-content' })
      },
      pages: ({ data }) =>
        foundPages(data, ({ url, title, description, content, date }) => ({ url, title, text: content || description, publishedAt: date })),
      pagesInError: (_status, { status }) => (status === nothingFound ? [] : undefined),
    }),
  }),
)
