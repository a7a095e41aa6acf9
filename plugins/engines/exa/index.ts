import { definePlugin } from '../../../core/index.ts'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, postJson, searchText } from '../../../core/kit.ts'

/** Web search by Exa. */
export default definePlugin(
  engineDefinition({
    name: 'exa',
    keyHeader: 'x-api-key',
    options: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.exa.ai'),
      searchType: {
        enum: ['auto', 'fast', 'instant', 'deep'],
        default: 'auto',
        description: 'How Exa searches: `instant` and `fast` are the quickest, `deep` the most thorough.',
      },
      content: {
        enum: ['highlights', 'text'],
        default: 'highlights',
        description: 'What Exa sends of each page: the passages that fit the query, or its text from the start.',
      },
      maximumCharacters: { type: 'integer', minimum: 1, default: 2_000, description: 'The most characters that Exa sends of each page.' },
    },
    // https://docs.exa.ai/reference/search
    adapter: ({ baseUrl, searchType, content, maximumCharacters }) => ({
      prepare(query) {
        const { maxResults, allowedDomains, blockedDomains, userLocation } = query
        return postJson(baseUrl, '/search', {
          query: searchText(query, { place: ['city', 'region'] }),
          type: searchType,
          numResults: maxResults,
          contents: { [content]: { maxCharacters: maximumCharacters } },
          userLocation: userLocation?.country,
          ...(allowedDomains.length > 0 && { includeDomains: allowedDomains }),
          ...(blockedDomains.length > 0 && { excludeDomains: blockedDomains }),
        })
      },
      pages: ({ results }) =>
        foundPages(results, ({ url, title, highlights, text, publishedDate }) => ({
          url,
          title,
          text: content === 'text' ? text : highlights,
          publishedAt: publishedDate,
        })),
    }),
  }),
)
