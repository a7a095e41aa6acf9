import t from 'tap'
import { engineSuite } from '../../../core/testing/index.ts'
import { tavilyCountry } from '../../../plugins/engines/tavily/countries.ts'
import tavily from '../../../plugins/engines/tavily/index.ts'

const apiKey = 'tvly-demo-1234567890'
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

engineSuite(t, {
  plugin: options => tavily({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'a plain query',
      query: { query: 'who is Leo Messi?', maxResults: 3 },
      sent: {
        method: 'POST',
        path: '/search',
        headers,
        body: { query: 'who is Leo Messi?', max_results: 3, search_depth: 'basic' },
      },
      reply: {
        query: 'who is Leo Messi?',
        answer: null,
        images: [],
        results: [
          {
            title: 'Lionel Messi Facts | Britannica',
            url: 'https://www.britannica.com/facts/Lionel-Messi',
            content: 'Lionel Messi, an Argentine footballer, is widely regarded as one of the greatest football players.',
            score: 0.81025416,
            raw_content: null,
            favicon: 'https://britannica.com/favicon.png',
          },
          { title: 'News', url: 'https://example.com/news', content: 'Today', score: 0.5, published_date: 'Tue, 03 Nov 2026 10:00:00 GMT' },
        ],
        response_time: 1.67,
        request_id: '123e4567-e89b-12d3-a456-426614174111',
      },
      pages: [
        {
          url: 'https://www.britannica.com/facts/Lionel-Messi',
          title: 'Lionel Messi Facts | Britannica',
          text: 'Lionel Messi, an Argentine footballer, is widely regarded as one of the greatest football players.',
        },
        { url: 'https://example.com/news', title: 'News', text: 'Today', publishedAt: 'Tue, 03 Nov 2026 10:00:00 GMT' },
      ],
    },
    {
      name: 'domains and a place',
      query: {
        query: 'weather',
        allowedDomains: ['example.com', 'example.org'],
        blockedDomains: ['blocked.example.com'],
        userLocation: { country: 'DE', region: 'Berlin', city: 'Berlin', timezone: 'Europe/Berlin' },
      },
      sent: {
        method: 'POST',
        path: '/search',
        headers,
        body: {
          query: 'weather Berlin',
          max_results: 5,
          search_depth: 'basic',
          country: 'germany',
          include_domains: ['example.com', 'example.org'],
          exclude_domains: ['blocked.example.com'],
        },
      },
      reply: { query: 'weather Berlin', results: [] },
      pages: [],
    },
    {
      name: 'a country that the vendor does not know',
      query: { query: 'weather', userLocation: { country: 'GL' } },
      sent: { method: 'POST', path: '/search', body: { query: 'weather Greenland', max_results: 5, search_depth: 'basic' } },
      reply: { results: [] },
      pages: [],
    },
  ],
  empty: [{ body: { query: 'demo', results: [], response_time: 0.1 } }],
  failures: [
    { status: 401, body: { detail: { error: 'Unauthorized: missing or invalid API key.' } }, kind: 'auth' },
    { status: 432, body: { detail: { error: "This request exceeds your plan's set usage limit." } }, kind: 'quota' },
    { status: 433, body: { detail: { error: 'This request exceeds the pay-as-you-go limit.' } }, kind: 'quota' },
  ],
})

t.test("countries have the vendor's names", async t => {
  const names = {
    US: 'united states',
    GB: 'united kingdom',
    KR: 'south korea',
    CZ: 'czech republic',
    TR: 'turkey',
    BA: 'bosnia and herzegovina',
  }
  for (const [code, name] of Object.entries(names)) t.equal(tavilyCountry(code), name)
  for (const code of ['XX', 'us', '', undefined]) t.equal(tavilyCountry(code), undefined)
})
