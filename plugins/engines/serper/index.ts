import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { serperAdapter } from './adapter.ts'

/** Google's results by Serper. */
export default definePlugin({
  name: 'serper-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://google.serper.dev'),
      language: { type: 'string', minLength: 2, description: 'The language of the results, such as `en`. Default: as Serper decides.' },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(serperAdapter(options), gateway.http, { ...options, keyHeader: 'x-api-key' }))
  },
})
