import t from 'tap'
import { engineSuite } from '../../../core/testing/index.ts'
import kagi from '../../../plugins/engines/kagi/index.ts'

const apiKey = 'kagi-demo-1234567890'
const headers = { authorization: `Bearer ${apiKey}` }

engineSuite(t, {
  plugin: options => kagi({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'a plain query',
      query: { query: 'steve jobs', maxResults: 3 },
      sent: { method: 'POST', path: '/search', headers, body: { query: 'steve jobs', workflow: 'search', limit: 3, safe_search: true } },
      reply: {
        meta: { trace: 'b5947044c4b78efa', node: 'us-central1', ms: 142 },
        data: {
          search: [
            { url: 'https://example.com/jobs', title: 'Steve Jobs', snippet: 'Co-founder.', time: '2026-01-02T03:04:05Z' },
            { url: 'https://example.com/2', title: 'Two' },
          ],
          related_search: [{ url: '/search?q=apple', title: 'apple' }],
        },
      },
      pages: [
        { url: 'https://example.com/jobs', title: 'Steve Jobs', text: 'Co-founder.', publishedAt: '2026-01-02T03:04:05Z' },
        { url: 'https://example.com/2', title: 'Two', text: '' },
      ],
    },
    {
      name: 'domains and a country in a lens',
      query: {
        query: 'weather',
        allowedDomains: ['example.com'],
        blockedDomains: ['blocked.example.com'],
        userLocation: { country: 'DE', city: 'Potsdam' },
      },
      sent: {
        method: 'POST',
        path: '/search',
        body: {
          query: 'weather Potsdam',
          workflow: 'search',
          limit: 5,
          safe_search: true,
          lens: { sites_included: ['example.com'], sites_excluded: ['blocked.example.com'], search_region: 'DE' },
        },
      },
      reply: { meta: {}, data: {} },
      pages: [],
    },
  ],
  empty: [{ body: { meta: {}, data: {} } }, { body: { data: { search: [] } } }],
  failures: [{ status: 401, body: { meta: {}, error: [{ code: 1, msg: 'Unauthorized' }] }, kind: 'auth' }],
})
