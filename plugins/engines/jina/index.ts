import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineBaseUrl, engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { jinaAdapter } from './adapter.ts'

/** Web search by Jina. */
export default definePlugin({
  name: 'jina-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://s.jina.ai'),
      content: {
        type: 'boolean',
        default: false,
        description:
          'true: Jina also reads each page and sends its text instead of a description. It is slower, and Jina charges for the tokens.',
      },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(jinaAdapter(options), gateway.http, options))
  },
})
