import t from 'tap'
import { engineSuite } from '../../../core/testing/index.ts'
import serper from '../../../plugins/engines/serper/index.ts'

const apiKey = 'serper-demo-1234567890'
const headers = { 'x-api-key': apiKey }

engineSuite(t, {
  plugin: options => serper({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'a plain query',
      query: { query: 'apple inc', maxResults: 10 },
      sent: { method: 'POST', path: '/search', headers, body: { q: 'apple inc', num: 10 } },
      reply: {
        searchParameters: { q: 'apple inc', gl: 'us', hl: 'en', type: 'search', engine: 'google' },
        knowledgeGraph: { title: 'Apple', type: 'Technology company', website: 'http://www.apple.com/' },
        organic: [
          { title: 'Apple', link: 'https://www.apple.com/', snippet: 'Discover the innovative world of Apple', position: 1 },
          { title: 'Apple Inc.', link: 'https://example.com/apple', snippet: 'A company.', date: 'Nov 1, 2026', position: 2 },
        ],
        peopleAlsoAsk: [{ question: 'Who owns Apple?', link: 'https://example.com/q' }],
        credits: 1,
      },
      pages: [
        { url: 'https://www.apple.com/', title: 'Apple', text: 'Discover the innovative world of Apple' },
        { url: 'https://example.com/apple', title: 'Apple Inc.', text: 'A company.', publishedAt: 'Nov 1, 2026' },
      ],
    },
    {
      name: 'domains and a place in the query, the country apart',
      query: {
        query: 'weather',
        allowedDomains: ['example.com'],
        blockedDomains: ['a.example.com', 'b.example.com'],
        userLocation: { country: 'DE', city: 'Potsdam', region: 'Brandenburg' },
      },
      sent: {
        method: 'POST',
        path: '/search',
        body: { q: 'weather Potsdam Brandenburg site:example.com -site:a.example.com -site:b.example.com', num: 5, gl: 'de' },
      },
      reply: { searchParameters: {}, organic: [] },
      pages: [],
    },
  ],
  empty: [{ body: { searchParameters: { q: 'demo' }, organic: [], credits: 1 } }],
  failures: [
    { status: 400, body: { message: 'Not enough credits', statusCode: 400 }, kind: 'quota' },
    { status: 403, body: { message: 'Unauthorized.', statusCode: 403 }, kind: 'auth' },
  ],
})
