import t from 'tap'
import { definePlugin, ProviderFailure, SearchEngines, type SearchEngine } from '../../../core/index.ts'
import { engineBaseUrl, engineOptions } from '../../../core/provider-kit/engine-options.ts'
import { engineSuite } from '../../../core/testing/index.ts'

const secret = 'demo-secret-1234567890'
const page = { url: 'https://example.com/', title: 'Example', text: 'An example.' }

/** The mistakes of a hand-written engine, as the names of the tests that find them. */
async function complaints(search: (baseUrl: string, ...asked: Parameters<SearchEngine['search']>) => ReturnType<SearchEngine['search']>) {
  const careless = definePlugin({
    name: 'careless-search',
    options: { type: 'object', additionalProperties: false, properties: { baseUrl: engineBaseUrl('http://a.example'), ...engineOptions } },
    setup(gateway, { baseUrl }) {
      gateway.add(SearchEngines, { name: 'careless', seesContent: 'local', search: (...asked) => search(baseUrl, ...asked) })
    },
  })
  const checks: (readonly [name: string, run: () => Promise<void>])[] = []
  engineSuite(
    { test: (name, run) => checks.push([name, run]) },
    {
      plugin: options => careless(options),
      examples: [
        { name: 'example', query: {}, sent: { method: 'POST', path: '/', body: { q: 'demo' } }, reply: { pages: [page] }, pages: [page] },
      ],
      empty: [{ body: { pages: [] } }],
      secrets: [secret],
      stopMs: 100,
    },
  )
  const found: string[] = []
  for (const [name, run] of checks) await run().catch(() => found.push(name))
  return found
}

t.test('the suite notices an engine that believes everything it gets', async t => {
  const found = await complaints(async (baseUrl, { query }, { signal }) => {
    const reply = await fetch(baseUrl, { method: 'POST', body: JSON.stringify({ q: query }), signal })
    const { pages } = (await reply.json()) as { readonly pages: readonly (typeof page)[] }
    return { results: pages }
  })
  t.same(found, [
    'drops results without an http address',
    'tells failures by their kind, and repeats nothing of the vendor',
    'does not take other replies for results',
    'does not follow redirects',
    'stops when the caller leaves or time is up',
  ])
})

t.test('the suite notices an engine that tells what the vendor said', async t => {
  const found = await complaints(async (baseUrl, { query }) => {
    const reply = await fetch(baseUrl, { method: 'POST', body: JSON.stringify({ q: query }), redirect: 'manual' })
    throw new ProviderFailure({ kind: 'unavailable', message: await reply.text(), status: reply.status })
  })
  t.ok(found.includes('tells failures by their kind, and repeats nothing of the vendor'))
  t.ok(found.includes('finding nothing is an answer'))
})
