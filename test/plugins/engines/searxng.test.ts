import t from 'tap'
import { ProviderFailure } from '../../../core/index.ts'
import { engineSuite, fakeUpstream } from '../../../core/testing/index.ts'
import { searching } from '../../../core/testing/searching.ts'
import searxng from '../../../plugins/engines/searxng/index.ts'

const apiKey = 'searxng-demo-1234567890'
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/x-www-form-urlencoded' }

engineSuite(t, {
  plugin: options => searxng({ apiKey, ...options }),
  secrets: [apiKey],
  examples: [
    {
      name: 'domains and a place in the query',
      query: {
        query: 'weather',
        allowedDomains: ['example.com'],
        blockedDomains: ['blocked.example.com'],
        userLocation: { country: 'DE', region: 'Berlin', city: 'Berlin' },
      },
      sent: {
        method: 'POST',
        path: '/search',
        headers,
        body: { q: 'weather Berlin Germany site:example.com -site:blocked.example.com', format: 'json' },
      },
      reply: {
        query: 'weather',
        number_of_results: 0,
        results: [
          {
            url: 'https://example.com/weather',
            title: 'Weather',
            content: 'Sunny.',
            publishedDate: '2026-11-01T00:00:00',
            engine: 'google',
            engines: ['google', 'bing'],
            positions: [1, 1],
            score: 4,
            category: 'general',
          },
        ],
        answers: [],
        corrections: [],
        infoboxes: [],
        suggestions: [],
        unresponsive_engines: [['duckduckgo', 'timeout']],
      },
      pages: [{ url: 'https://example.com/weather', title: 'Weather', text: 'Sunny.', publishedAt: '2026-11-01T00:00:00' }],
    },
  ],
  empty: [{ body: { query: 'demo', results: [], unresponsive_engines: [] } }],
})

t.test('sends what the operator chose', async t => {
  await using upstream = await fakeUpstream(() => ({ body: JSON.stringify({ results: [] }) }))
  const chosen = { engines: ['brave', 'bing'], categories: ['science', 'it'], language: 'de', safeSearch: 2 as const }
  await using engine = await searching(
    searxng({ baseUrl: `${upstream.url}/searx/`, headers: { Authorization: 'Basic ZGVtbw==' }, ...chosen }),
  )
  t.same(await engine.search({}), [])
  const [request] = upstream.requests
  t.match(request, { url: '/searx/search', headers: { authorization: 'Basic ZGVtbw==' } })
  t.same(Object.fromEntries(new URLSearchParams(request!.text)), {
    q: 'demo',
    format: 'json',
    engines: 'brave,bing',
    categories: 'science,it',
    language: 'de',
    safesearch: '2',
  })
})

t.test('tells a server that does not serve JSON from one that found nothing', async t => {
  await using upstream = await fakeUpstream([
    { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>Forbidden</html>' },
    { body: JSON.stringify({ results: [], unresponsive_engines: [['google', 'access denied']] }) },
  ])
  await using engine = await searching(searxng({ baseUrl: upstream.url }))
  await t.rejects(engine.search({}), /settings\.yml must list json under search\.formats/)
  const failure = await engine.search({}).catch((error: unknown) => error)
  t.ok(ProviderFailure.is(failure) && failure.kind === 'unavailable')
})
