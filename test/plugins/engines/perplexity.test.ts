import t from 'tap'
import { engineSuite } from '../../../core/testing/index.ts'
import perplexity from '../../../plugins/engines/perplexity/index.ts'

const apiKey = 'pplx-demo-1234567890'
const headers = { authorization: `Bearer ${apiKey}` }

engineSuite(t, {
  plugin: options => perplexity({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'allowed domains and a place',
      query: {
        query: 'latest AI developments 2026',
        allowedDomains: ['science.org', 'pnas.org'],
        blockedDomains: ['blocked.example.com'],
        userLocation: { country: 'US', city: 'Boston' },
      },
      sent: {
        method: 'POST',
        path: '/search',
        headers,
        body: {
          query: 'latest AI developments 2026 Boston',
          max_results: 5,
          max_tokens_per_page: 512,
          country: 'US',
          search_domain_filter: ['science.org', 'pnas.org'],
        },
      },
      reply: {
        results: [
          {
            title: '2025 recap',
            url: 'https://blog.example.com/2025',
            snippet: '## 2025 was a year of progress',
            date: '2025-12-23',
            last_updated: '2025-09-25T00:00:00',
          },
          { title: 'B', url: 'https://example.com/b', snippet: 'b', date: null, last_updated: null },
        ],
        id: 'e38104d5-6bd7-4d82-bc4e-0a21179d1f77',
        server_time: null,
      },
      pages: [
        { url: 'https://blog.example.com/2025', title: '2025 recap', text: '## 2025 was a year of progress', publishedAt: '2025-12-23' },
        { url: 'https://example.com/b', title: 'B', text: 'b' },
      ],
    },
    {
      name: 'blocked domains alone',
      query: { blockedDomains: ['blocked.example.com'] },
      sent: {
        method: 'POST',
        path: '/search',
        body: { query: 'demo', max_results: 5, max_tokens_per_page: 512, search_domain_filter: ['-blocked.example.com'] },
      },
      reply: { results: [], id: 'demo' },
      pages: [],
    },
  ],
  empty: [{ body: { results: [], id: 'demo' } }],
})
