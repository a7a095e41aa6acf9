import t from 'tap'
import { engineSuite } from '../../../core/testing/index.ts'
import linkup from '../../../plugins/engines/linkup/index.ts'

const apiKey = 'linkup-demo-1234567890'
const headers = { authorization: `Bearer ${apiKey}` }

engineSuite(t, {
  plugin: options => linkup({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'domains, and a place in the query',
      query: {
        query: "What is Microsoft's 2024 revenue?",
        maxResults: 3,
        allowedDomains: ['microsoft.com'],
        blockedDomains: ['wikipedia.org'],
        userLocation: { country: 'FR', region: 'Île-de-France', city: 'Paris' },
      },
      sent: {
        method: 'POST',
        path: '/search',
        headers,
        body: {
          q: "What is Microsoft's 2024 revenue? Paris Île-de-France France",
          depth: 'standard',
          outputType: 'searchResults',
          maxResults: 3,
          includeDomains: ['microsoft.com'],
          excludeDomains: ['wikipedia.org'],
        },
      },
      reply: {
        results: [
          {
            type: 'text',
            name: 'Microsoft 2024 Annual Report',
            url: 'https://www.microsoft.com/investor/reports/ar24/index.html',
            content: 'Highlights from fiscal year 2024: revenue was $245.1 billion',
            favicon: 'https://www.microsoft.com/favicon.ico',
          },
        ],
      },
      pages: [
        {
          url: 'https://www.microsoft.com/investor/reports/ar24/index.html',
          title: 'Microsoft 2024 Annual Report',
          text: 'Highlights from fiscal year 2024: revenue was $245.1 billion',
        },
      ],
    },
  ],
  empty: [
    { body: { results: [] } },
    {
      status: 400,
      body: { statusCode: 400, error: { code: 'SEARCH_QUERY_NO_RESULT', message: 'The query did not yield any result', details: [] } },
    },
  ],
  failures: [
    {
      status: 400,
      body: { statusCode: 400, error: { code: 'VALIDATION_ERROR', message: 'Validation failed', details: [] } },
      kind: 'invalid-request',
    },
    {
      status: 429,
      body: { statusCode: 429, error: { code: 'INSUFFICIENT_FUNDS_CREDITS', message: 'No credit', details: [] } },
      kind: 'quota',
    },
    { status: 429, body: { statusCode: 429, error: { code: 'EXCEED_BUDGET_LIMIT', message: 'Over budget', details: [] } }, kind: 'quota' },
    { status: 429, body: { statusCode: 429, error: { code: 'TOO_MANY_REQUESTS', message: 'Slow down', details: [] } }, kind: 'rate-limit' },
  ],
})
