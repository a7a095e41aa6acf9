import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { googleAdapter } from './adapter.ts'

/** Web search by Google's Programmable Search Engine. */
export default definePlugin({
  name: 'google-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey', 'engineId'],
    properties: {
      apiKey: engineKeyOption,
      engineId: { type: 'string', minLength: 1, description: 'The id of your Programmable Search Engine, which Google calls `cx`.' },
      baseUrl: engineBaseUrl('https://customsearch.googleapis.com'),
      language: {
        type: 'string',
        minLength: 2,
        description: 'The language of the user interface, such as `en`. Default: as Google decides.',
      },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(googleAdapter(options), gateway.http, { ...options, keyHeader: 'x-goog-api-key' }))
  },
})
