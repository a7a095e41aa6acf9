import t from 'tap'
import { engineSuite, fakeUpstream } from '../../../core/testing/index.ts'
import { searching } from '../../../core/testing/searching.ts'
import jina from '../../../plugins/engines/jina/index.ts'

const apiKey = 'jina_demo_1234567890'
const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json', 'x-respond-with': 'no-content' }

engineSuite(t, {
  plugin: options => jina({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'domains in the query, and a place',
      query: {
        query: 'weather',
        maxResults: 3,
        allowedDomains: ['example.com'],
        userLocation: { country: 'DE', region: 'Brandenburg', city: 'Potsdam' },
      },
      sent: {
        method: 'POST',
        path: '/',
        headers,
        body: { q: 'weather Brandenburg site:example.com', num: 3, gl: 'DE', location: 'Potsdam' },
      },
      reply: {
        code: 200,
        status: 20000,
        data: [
          {
            title: 'Weather',
            url: 'https://example.com/weather',
            description: 'Sunny.',
            date: 'Nov 1, 2026',
            content: '',
            usage: { tokens: 1000 },
          },
          { title: 'Rain', url: 'https://example.com/rain', description: 'Wet.' },
        ],
        meta: { usage: { tokens: 10000 } },
      },
      pages: [
        { url: 'https://example.com/weather', title: 'Weather', text: 'Sunny.', publishedAt: 'Nov 1, 2026' },
        { url: 'https://example.com/rain', title: 'Rain', text: 'Wet.' },
      ],
    },
  ],
  empty: [
    { body: { code: 200, status: 20000, data: [] } },
    {
      status: 422,
      body: { data: null, code: 422, name: 'AssertionFailureError', status: 42206, message: 'No search results available for query demo' },
    },
  ],
  failures: [
    { status: 401, body: { code: 401, status: 40103, name: 'AuthenticationRequiredError', message: 'Invalid API key' }, kind: 'auth' },
    {
      status: 402,
      body: { code: 402, status: 40203, name: 'InsufficientBalanceError', message: 'Account balance not enough' },
      kind: 'quota',
    },
    { status: 422, body: { code: 422, status: 42201, message: 'Another assertion failed' }, kind: 'invalid-request' },
  ],
})

t.test('with the option content, pages are read', async t => {
  await using upstream = await fakeUpstream(() => ({
    body: JSON.stringify({ data: [{ title: 'A', url: 'https://example.com/', description: 'Short.', content: 'The whole page.' }] }),
  }))
  await using engine = await searching(jina({ apiKey, baseUrl: upstream.url, content: true }))
  t.match(await engine.search({}), [{ text: 'The whole page.' }])
  t.notOk('x-respond-with' in upstream.requests[0]!.headers)
})
