import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { exaAdapter } from './adapter.ts'

/** Web search by Exa. */
export default definePlugin({
  name: 'exa-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
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
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(exaAdapter(options), gateway.http, { ...options, keyHeader: 'x-api-key' }))
  },
})
