import t from 'tap'
import { engineSuite } from '../../../core/testing/index.ts'
import exa from '../../../plugins/engines/exa/index.ts'

const apiKey = 'exa-demo-1234567890'
const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }

engineSuite(t, {
  plugin: options => exa({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'domains and a place',
      query: {
        query: 'Latest research in LLMs',
        maxResults: 10,
        allowedDomains: ['arxiv.org'],
        blockedDomains: ['blocked.example.com'],
        userLocation: { country: 'DE', region: 'Berlin', city: 'Berlin' },
      },
      sent: {
        method: 'POST',
        path: '/search',
        headers,
        body: {
          query: 'Latest research in LLMs Berlin',
          type: 'auto',
          numResults: 10,
          contents: { highlights: { maxCharacters: 2_000 } },
          userLocation: 'DE',
          includeDomains: ['arxiv.org'],
          excludeDomains: ['blocked.example.com'],
        },
      },
      reply: {
        requestId: 'b5947044c4b78efa9552a7c89b306d95',
        searchType: 'auto',
        results: [
          {
            title: 'A Comprehensive Overview of Large Language Models',
            url: 'https://arxiv.org/pdf/2307.06435.pdf',
            publishedDate: '2023-11-16T01:36:32.547Z',
            author: 'Humza Naveed',
            id: 'https://arxiv.org/abs/2307.06435',
            highlights: ['Such requirements have limited their adoption.', 'A second passage.'],
            highlightScores: [0.46, 0.4],
          },
          { title: null, url: 'https://example.com/untitled', publishedDate: null, highlights: [] },
        ],
        costDollars: { total: 0.005 },
      },
      pages: [
        {
          url: 'https://arxiv.org/pdf/2307.06435.pdf',
          title: 'A Comprehensive Overview of Large Language Models',
          text: 'Such requirements have limited their adoption.\nA second passage.',
          publishedAt: '2023-11-16T01:36:32.547Z',
        },
        { url: 'https://example.com/untitled', title: 'example.com', text: '' },
      ],
    },
  ],
  empty: [{ body: { requestId: 'demo', results: [] } }],
  failures: [{ status: 401, body: { requestId: 'demo', error: 'Invalid API key', tag: 'INVALID_API_KEY' }, kind: 'auth' }],
})
