import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { kagiAdapter } from './adapter.ts'

/** Web search by Kagi. */
export default definePlugin({
  name: 'kagi-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://kagi.com/api/v1'),
      safeSearch: { type: 'boolean', default: true, description: 'true: Kagi leaves out adult content.' },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(kagiAdapter(options), gateway.http, options))
  },
})
