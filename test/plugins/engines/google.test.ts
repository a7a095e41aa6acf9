import t from 'tap'
import { engineSuite } from '../../../core/testing/index.ts'
import google from '../../../plugins/engines/google/index.ts'

const apiKey = 'AIza-demo-1234567890'
const headers = { 'x-goog-api-key': apiKey }

function refused(code: number, status: string, message: string, reason: string): unknown {
  return {
    error: {
      code,
      message,
      status,
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
    },
  }
}

engineSuite(t, {
  plugin: options => google({ apiKey, engineId: '017576662512468239146:omuauf_lfve', ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'domains and a place',
      query: {
        query: 'lectures',
        maxResults: 20,
        allowedDomains: ['example.com', 'example.org'],
        blockedDomains: ['blocked.example.com'],
        userLocation: { country: 'GB', region: 'Scotland', city: 'Glasgow' },
      },
      sent: {
        method: 'GET',
        path: '/customsearch/v1',
        headers,
        parameters: {
          cx: '017576662512468239146:omuauf_lfve',
          q: 'lectures Glasgow Scotland site:example.com OR site:example.org -site:blocked.example.com',
          num: '10',
          gl: 'gb',
        },
      },
      reply: {
        kind: 'customsearch#search',
        url: { type: 'application/json', template: 'https://www.googleapis.com/customsearch/v1?q={searchTerms}' },
        queries: { request: [{ title: 'Google Custom Search - lectures', totalResults: '1', count: 1 }] },
        searchInformation: { searchTime: 0.2, totalResults: '1' },
        items: [
          {
            kind: 'customsearch#result',
            title: 'Lectures',
            htmlTitle: '<b>Lectures</b>',
            link: 'https://example.com/lectures',
            displayLink: 'example.com',
            snippet: 'All lectures of the term.',
          },
        ],
      },
      pages: [{ url: 'https://example.com/lectures', title: 'Lectures', text: 'All lectures of the term.' }],
    },
  ],
  empty: [{ body: { kind: 'customsearch#search', searchInformation: { totalResults: '0' } } }],
  failures: [
    {
      status: 400,
      body: refused(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 'API_KEY_INVALID'),
      kind: 'auth',
    },
    { status: 400, body: refused(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', 'badRequest'), kind: 'invalid-request' },
    {
      status: 429,
      body: refused(
        429,
        'RESOURCE_EXHAUSTED',
        "Quota exceeded for quota metric 'Queries' and limit 'Queries per day'.",
        'RATE_LIMIT_EXCEEDED',
      ),
      kind: 'quota',
    },
    {
      status: 429,
      body: refused(
        429,
        'RESOURCE_EXHAUSTED',
        "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'.",
        'RATE_LIMIT_EXCEEDED',
      ),
      kind: 'rate-limit',
    },
  ],
})
