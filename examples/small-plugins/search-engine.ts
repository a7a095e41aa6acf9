// Acme's search, as an engine of the tool `web_search`.

import { definePlugin } from 'turnpike'
import { engineBaseUrl, engineDefinition, engineKeyOption, foundPages, postJson, searchText } from 'turnpike/kit'

export default definePlugin(
  engineDefinition({
    name: 'acme',
    options: { apiKey: engineKeyOption, baseUrl: engineBaseUrl('https://search.example.com') },
    adapter: ({ baseUrl }) => ({
      prepare: query =>
        postJson(baseUrl, '/search', {
          q: searchText(query, { sites: true, place: ['city', 'country'] }),
          count: query.maxResults,
        }),
      pages: ({ hits }) => foundPages(hits, ({ link, title, snippet }) => ({ url: link, title, text: snippet })),
    }),
  }),
)
