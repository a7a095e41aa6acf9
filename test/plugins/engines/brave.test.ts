import t from 'tap'
import { engineSuite } from '../../../core/testing/index.ts'
import brave from '../../../plugins/engines/brave/index.ts'

const apiKey = 'BSA-demo-1234567890'
const headers = { 'x-subscription-token': apiKey, accept: 'application/json' }
const fixed = { safesearch: 'moderate', text_decorations: 'false', result_filter: 'web' }

engineSuite(t, {
  plugin: options => brave({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'a plain query',
      query: { query: 'brave search', maxResults: 10 },
      sent: { method: 'GET', path: '/web/search', headers, parameters: { q: 'brave search', count: '10', ...fixed } },
      reply: {
        type: 'search',
        query: { original: 'brave search', more_results_available: true },
        mixed: { type: 'mixed', main: [{ type: 'web', index: 0, all: false }] },
        web: {
          type: 'search',
          results: [
            {
              title: 'Brave Search',
              url: 'https://search.brave.com/',
              is_source_local: false,
              description: 'Search the Web. Privately.',
              page_age: '2026-02-03T00:00:00',
              profile: { name: 'Brave', url: 'https://search.brave.com/' },
              language: 'en',
              family_friendly: true,
              type: 'search_result',
              subtype: 'generic',
              extra_snippets: ['An independent index.', 'No profiling.'],
            },
            { title: 'Two', url: 'https://example.com/2', description: 'The second.', type: 'search_result' },
          ],
          family_friendly: true,
        },
      },
      pages: [
        {
          url: 'https://search.brave.com/',
          title: 'Brave Search',
          text: 'Search the Web. Privately.\nAn independent index.\nNo profiling.',
          publishedAt: '2026-02-03T00:00:00',
        },
        { url: 'https://example.com/2', title: 'Two', text: 'The second.' },
      ],
    },
    {
      name: 'domains in the query, and a place in headers',
      query: {
        query: 'weather',
        maxResults: 50,
        allowedDomains: ['example.com', 'example.org'],
        blockedDomains: ['blocked.example.com'],
        userLocation: { country: 'DE', region: 'Berlin', city: 'Berlin', timezone: 'Europe/Berlin' },
      },
      sent: {
        method: 'GET',
        path: '/web/search',
        headers: {
          ...headers,
          'x-loc-country': 'DE',
          'x-loc-state-name': 'Berlin',
          'x-loc-city': 'Berlin',
          'x-loc-timezone': 'Europe/Berlin',
        },
        parameters: {
          q: 'weather site:example.com OR site:example.org -site:blocked.example.com',
          count: '20',
          country: 'DE',
          ...fixed,
        },
      },
      reply: { type: 'search', query: {} },
      pages: [],
    },
    {
      name: 'a country that the vendor refuses, and a name that no header can hold',
      query: { query: 'weather', userLocation: { country: 'GL', city: '東京\r\nx-evil: 1' } },
      sent: {
        method: 'GET',
        path: '/web/search',
        headers: { 'x-loc-country': 'GL' },
        parameters: { q: 'weather', count: '5', ...fixed },
      },
      reply: { type: 'search', web: { type: 'search', results: [] } },
      pages: [],
    },
  ],
  empty: [{ body: { type: 'search', query: { original: 'demo' }, mixed: {} } }, { body: { type: 'search', web: null } }],
  failures: [
    {
      status: 422,
      body: {
        type: 'ErrorResponse',
        error: { id: 'demo', status: 422, code: 'SUBSCRIPTION_TOKEN_INVALID', detail: 'The provided subscription token is invalid.' },
      },
      kind: 'auth',
    },
    { status: 422, body: { type: 'ErrorResponse', error: { status: 422, code: 'VALIDATION' } }, kind: 'invalid-request' },
  ],
})
