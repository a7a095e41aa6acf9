// Acme's search, as an engine of the tool `web_search`.

import { definePlugin, SearchEngines } from 'turnpike'
import {
  engineBaseUrl,
  engineKeyOption,
  engineOptions,
  foundPages,
  httpEngine,
  postJson,
  searchText,
  type EngineAdapter,
} from 'turnpike/kit'

export default definePlugin({
  name: 'acme-search',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: { apiKey: engineKeyOption, baseUrl: engineBaseUrl('https://search.example.com'), ...engineOptions },
  },
  setup(gateway, options) {
    const adapter: EngineAdapter = {
      name: 'acme',
      prepare: query =>
        postJson(options.baseUrl, '/search', {
          q: searchText(query, { sites: true, place: ['city', 'country'] }),
          count: query.maxResults,
        }),
      pages: ({ hits }) => foundPages(hits, ({ link, title, snippet }) => ({ url: link, title, text: snippet })),
    }
    gateway.add(SearchEngines, httpEngine(adapter, gateway.http, options))
  },
})
