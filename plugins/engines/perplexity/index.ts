import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { perplexityAdapter } from './adapter.ts'

/** Web search by Perplexity: its index, without its models. */
export default definePlugin({
  name: 'perplexity-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.perplexity.ai'),
      maximumPageTokens: { type: 'integer', minimum: 1, default: 512, description: 'The most tokens that Perplexity sends of each page.' },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(perplexityAdapter(options), gateway.http, options))
  },
})
