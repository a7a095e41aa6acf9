import t from 'tap'
import type { PluginUse } from '../../../../core/index.ts'
import cohere from '../../../../plugins/providers/cohere/index.ts'
import jina from '../../../../plugins/providers/jina/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import voyage from '../../../../plugins/providers/voyage/index.ts'
import { json, vendor } from '../../../kit/embedding-vendors.ts'
import { rank, retrieving } from '../../../kit/retrieval-stage.ts'

const apiKey = 'sk-demo-key'
const ranked = [
  { index: 1, relevance_score: 0.9 },
  { index: 0, relevance_score: 0.1 },
]

interface Vendor {
  readonly name: string
  readonly plugin: (baseUrl: string) => PluginUse
  readonly reply: object
  readonly path: string
  /** What the vendor gets of `{ query: 'q', documents: ['a', 'bb'], top_n: 2 }`. */
  readonly body: object
  readonly usage: object
}

const body = { model: 'r', query: 'q', documents: ['a', 'bb'] }

const vendors: readonly Vendor[] = [
  {
    name: 'cohere',
    plugin: baseUrl => cohere({ id: 'v', baseUrl, apiKey }),
    reply: { id: 'x', results: ranked, meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } } },
    path: '/v2/rerank',
    body: { ...body, top_n: 2, max_tokens_per_doc: 100, return_documents: undefined },
    usage: { meta: { billed_units: { search_units: 1 } } },
  },
  {
    name: 'jina',
    plugin: baseUrl => jina({ id: 'v', baseUrl: `${baseUrl}/v1`, apiKey }),
    reply: { model: 'r', object: 'list', results: ranked, usage: { total_tokens: 12 } },
    path: '/v1/rerank',
    body: { ...body, top_n: 2, return_documents: false },
    usage: { usage: { total_tokens: 12 } },
  },
  {
    name: 'voyage',
    plugin: baseUrl => voyage({ id: 'v', baseUrl: `${baseUrl}/v1`, apiKey }),
    reply: { object: 'list', data: ranked, model: 'r', usage: { total_tokens: 12 } },
    path: '/v1/rerank',
    body: { ...body, top_k: 2, top_n: undefined, return_documents: false },
    usage: { usage: { total_tokens: 12 } },
  },
  {
    name: 'a compatible host',
    plugin: baseUrl => openaiChat({ id: 'v', baseUrl: `${baseUrl}/v1`, apiKey, host: 'compatible' }),
    reply: { results: ranked, meta: { tokens: { input_tokens: 12 } } },
    path: '/v1/rerank',
    body: { ...body, top_n: 2, return_documents: false },
    usage: { usage: { total_tokens: 12 } },
  },
]

for (const { name, plugin, reply, path, body: expected, usage } of vendors)
  t.test(name, async t => {
    const upstream = await vendor(t, () => json(reply))
    const under = await retrieving([plugin(upstream.url)])
    t.teardown(under.stop)
    const { status, body: got } = await rank(under, { model: 'v/r', top_n: 2, max_tokens_per_doc: 100 })
    t.equal(status, 200, JSON.stringify(got).slice(0, 300))
    t.same(got.results, ranked)
    t.match(got, usage)
    const [request] = upstream.requests
    t.equal(request!.url, path)
    t.match(request!.body, expected)
    t.equal(request!.headers.authorization, `Bearer ${apiKey}`)
  })

t.test("a vendor's error is the caller's", async t => {
  for (const { name, plugin } of vendors) {
    const upstream = await vendor(t, () => json({ message: 'too long', detail: 'too long', error: { message: 'too long' } }, 400))
    const under = await retrieving([plugin(upstream.url)])
    t.teardown(under.stop)
    const { status, body: got } = await rank(under, { model: 'v/r' })
    t.equal(status, 400, name)
    t.match(got.error.message, /too long/)
  }
})

t.test("Cohere's newer path", async t => {
  const upstream = await vendor(t, () => json(vendors[0]!.reply))
  const under = await retrieving([vendors[0]!.plugin(upstream.url)])
  t.teardown(under.stop)
  const reply = await under.request('/v2/rerank', { body: { model: 'v/r', query: 'q', documents: ['a', 'bb'] } })
  t.equal(reply.status, 200)
  t.match(await reply.json(), { results: ranked })
})
