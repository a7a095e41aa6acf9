import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { linkupAdapter } from './adapter.ts'

/** Web search by Linkup. */
export default definePlugin({
  name: 'linkup-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.linkup.so/v1'),
      depth: {
        enum: ['fast', 'standard', 'deep'],
        default: 'standard',
        description: 'How thoroughly Linkup searches. `deep` may take half a minute, so raise timeoutMs with it.',
      },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(linkupAdapter(options), gateway.http, options))
  },
})
