import { definePlugin, SearchEngines } from '../../../core/index.ts'
import { engineKeyOption, engineOptions, httpEngine } from '../../../core/kit.ts'
import { searxngAdapter } from './adapter.ts'

const names = { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } } as const

/** Web search by your own SearXNG, which asks other search engines. Its `settings.yml` must list `json` under `search.formats`. */
export default definePlugin({
  name: 'searxng-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['baseUrl'],
    properties: {
      baseUrl: { type: 'string', format: 'uri', pattern: '^https?://', description: 'The address of the server, without `/search`.' },
      apiKey: { ...engineKeyOption, description: 'A bearer token, if a proxy in front of the server asks for one.' },
      engines: { ...names, description: 'The engines that SearXNG asks. Default: as its preferences say.' },
      categories: { ...names, description: 'The categories that SearXNG searches. Default: as its preferences say.' },
      language: { type: 'string', minLength: 2, description: 'The language of the results, such as `en`. Default: as its settings say.' },
      safeSearch: {
        enum: [0, 1, 2],
        description: 'How much adult content is left out: 0 none, 1 some, 2 all. Default: as its settings say.',
      },
      ...engineOptions,
    },
  },
  setup(gateway, options) {
    gateway.add(SearchEngines, httpEngine(searxngAdapter(options), gateway.http, options))
  },
})
