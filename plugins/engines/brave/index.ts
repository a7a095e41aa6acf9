import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { braveAdapter } from './adapter.ts'

/** Web search by Brave. */
export default definePlugin({
  name: 'brave-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.search.brave.com/res/v1'),
      safeSearch: { enum: ['off', 'moderate', 'strict'], default: 'moderate', description: 'How much adult content Brave leaves out.' },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(braveAdapter(options), gateway.http, { ...options, keyHeader: 'x-subscription-token' }))
  },
})
