import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { tavilyAdapter } from './adapter.ts'

/** Web search by Tavily. */
export default definePlugin({
  name: 'tavily-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.tavily.com'),
      searchDepth: {
        enum: ['basic', 'advanced', 'fast', 'ultra-fast'],
        default: 'basic',
        description: 'How thoroughly Tavily searches. It charges twice as much for `advanced`.',
      },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(tavilyAdapter(options), gateway.http, options))
  },
})
