import { test } from 'node:test'
import { engineSuite } from 'turnpike/testing'
import searchEngine from '../search-engine.ts'

const apiKey = 'acme_demo_1234567890'

engineSuite(
  { test },
  {
    plugin: options => searchEngine({ apiKey, ...options }),
    secrets: [apiKey],
    examples: [
      {
        name: 'domains and the place in the query',
        query: { query: 'weather', maxResults: 3, allowedDomains: ['example.com'], userLocation: { country: 'DE', city: 'Potsdam' } },
        sent: {
          method: 'POST',
          path: '/search',
          headers: { authorization: `Bearer ${apiKey}` },
          body: { q: 'weather Potsdam Germany site:example.com', count: 3 },
        },
        reply: { hits: [{ link: 'https://example.com/weather', title: 'Weather', snippet: 'Sunny.' }] },
        pages: [{ url: 'https://example.com/weather', title: 'Weather', text: 'Sunny.' }],
      },
    ],
    empty: [{ body: { hits: [] } }],
    failures: [{ status: 401, body: { error: 'unknown key' }, kind: 'auth' }],
  },
)
