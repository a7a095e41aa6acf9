import t from 'tap'
import {
  CallObservers,
  CallWrappers,
  invalidRequest,
  ProviderFailure,
  type CallObserver,
  type CallWrapper,
  type CatalogEntry,
} from '../../../core/index.ts'
import type { BegunCall, CatalogEndpoint, EndedCall } from '../../../core/kit.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import zdr from '../../../plugins/guardrails/zdr/index.ts'
import { vectorOf } from '../../kit/embedding-vendors.ts'
import { saying } from '../../kit/gateway.ts'
import { embed, embedded, embeddingWitness, rank, reranked, rerankWitness, retrieving } from '../../kit/retrieval-stage.ts'
import { adding, guarding, listing } from '../../kit/stage.ts'

const price = { input: 2, output: 0 }

function model(...endpoints: readonly (string | CatalogEndpoint)[]): CatalogEntry {
  return {
    model: 'm',
    endpoints: endpoints.map(each => ({ kind: 'embedding', price, ...(typeof each === 'string' ? { provider: each } : each) }) as const),
  }
}

const ranker = (provider: string, more: Partial<CatalogEndpoint> = {}): CatalogEntry => ({
  model: 'm',
  endpoints: [{ kind: 'rerank', provider, ...more }],
})
const down = (): never => {
  throw new ProviderFailure({ kind: 'unavailable', message: 'out of order', status: 503 })
}

t.test('embeddings are priced and recorded', async t => {
  const acme = embeddingWitness('acme')
  const under = await retrieving([acme.plugin, listing(model('acme'))])
  t.teardown(under.stop)
  const { status, body, id, headers } = await embed(under, { input: ['ab', 'c'], dimensions: 3, user: 'u' })
  t.equal(status, 200)
  t.same(
    body.data.map(({ embedding }: any) => embedding),
    [vectorOf('ab', 3), vectorOf('c', 3)],
  )
  t.equal(body.model, 'acme/m')
  t.same(body.usage, { prompt_tokens: 3, total_tokens: 3, cost_usd: 0.000006 })
  t.equal(headers.get('x-gateway-provider'), 'acme')
  const [call] = acme.calls
  t.match(call!.request, { input: ['ab', 'c'], dimensions: 3, user: 'u' })
  t.ok(Object.isFrozen(call!.request))
  const record = await under.record(id)
  t.match(record, { answerId: id, requestedModel: 'm', model: 'm', provider: 'acme', costUsd: 0.000006, errorCode: null })
  t.match(record.usage, { uncachedInput: 3, output: 0 })
  t.match(record.attempts, [{ outcome: 'ok', provider: 'acme' }])
  t.match(record.request, { input: ['ab', 'c'], model: 'm', dimensions: 3 })
  t.same(record.response, { vectors: 2 }, 'vectors are not kept')
})

t.test('a reranking is sorted, cut, priced by search unit, and recorded', async t => {
  const acme = rerankWitness('acme', call => ({ ...reranked(call), usage: { searchUnits: 2 } }))
  const under = await retrieving([acme.plugin, listing(ranker('acme', { price: { input: 0, output: 0, search: 0.002 } }))])
  t.teardown(under.stop)
  const { body, id } = await rank(under, { documents: ['a', 'ccc', 'bb'], top_n: 2, return_documents: true })
  t.same(body.results, [
    { index: 1, relevance_score: 0.03, document: { text: 'ccc' } },
    { index: 2, relevance_score: 0.02, document: { text: 'bb' } },
  ])
  t.match(body.meta, { billed_units: { search_units: 2 } })
  t.equal(body.usage.cost_usd, 0.004)
  t.match(await under.record(id), { model: 'm', provider: 'acme', costUsd: 0.004, path: '/v1/rerank' })
})

t.test("a batch beyond the vendor's limit is several requests, one record and one bill", async t => {
  const acme = embeddingWitness('acme', embedded, { embeddings: { limits: () => ({ inputs: 3 }) } })
  const under = await retrieving([acme.plugin, listing(model('acme'))])
  t.teardown(under.stop)
  const input = Array.from({ length: 20 }, (_, index) => 'x'.repeat(index + 1))
  const { body, id } = await embed(under, { input })
  t.equal(acme.calls.length, 7)
  t.same(
    body.data.map(({ embedding }: any) => embedding),
    input.map(text => vectorOf(text)),
  )
  t.equal(body.usage.prompt_tokens, 210)
  const record = await under.record(id)
  t.equal(record.attempts.length, 1)
  t.equal(record.costUsd, body.usage.cost_usd)
  t.equal(under.records.length, 1)
})

t.test('a retry sends only what is missing, and what another endpoint answered before is charged', async t => {
  const limits = { embeddings: { limits: () => ({ inputs: 1 }) }, maxConcurrent: 1 }
  let failures = 0
  const acme = embeddingWitness('acme', (call, count) => (count === 3 && failures++ === 0 ? down() : embedded(call)), limits)
  const under = await retrieving([acme.plugin, listing(model('acme'))])
  t.teardown(under.stop)
  const { body } = await embed(under, { input: ['a', 'bb', 'ccc', 'dddd'] })
  t.equal(body.data.length, 4)
  t.same(
    acme.calls.map(({ request }) => request.input),
    [['a'], ['bb'], ['ccc'], ['ccc'], ['dddd']],
  )
  t.equal(body.usage.prompt_tokens, 10)

  const broken = embeddingWitness('broken', (call, count) => (count > 2 ? down() : embedded(call)), limits)
  const other = embeddingWitness('other')
  const two = await retrieving([broken.plugin, other.plugin, listing(model('broken', 'other'))])
  t.teardown(two.stop)
  const { body: moved, id } = await embed(two, { input: ['a', 'bb', 'ccc'] })
  t.equal(moved.model, 'other/m')
  t.equal(moved.usage.prompt_tokens, 6)
  t.equal((await two.record(id)).costUsd, (6 + 3) * 0.000002)
})

t.test('endpoints of the same model take over, and no other model does', async t => {
  const acme = embeddingWitness('acme', down)
  const other = embeddingWitness('other')
  const under = await retrieving([acme.plugin, other.plugin, listing(model('acme', 'other'))])
  t.teardown(under.stop)
  const { body, headers, id } = await embed(under, {})
  t.equal(body.model, 'other/m')
  t.equal(Number(headers.get('x-gateway-attempts')) > 1, true)
  t.equal((await under.record(id)).routing?.candidates.length, 2)
  t.equal((await embed(under, { routing: { model: { fallbacks: ['x'] } } })).status, 400)

  const alone = await retrieving([embeddingWitness('acme', down).plugin, listing(model('acme'))])
  t.teardown(alone.stop)
  const failed = await embed(alone, {})
  t.equal(failed.status, 503)
  t.match(failed.body.error, { code: 'provider_error' })
  t.equal((await alone.record(failed.id)).status, 503)
})

t.test('names', async t => {
  const acme = embeddingWitness('acme')
  const under = await retrieving([
    acme.plugin,
    saying('chat', []),
    listing(model('acme'), { model: 'talker', endpoints: [{ provider: 'chat' }] }),
  ])
  t.teardown(under.stop)
  for (const [name, status, message] of [
    ['acme/anything', 200, undefined],
    ['auto', 400, /cannot be compared/],
    ['talker', 400, /generates text and makes no embeddings.*\/v1\/responses/],
    ['chat/anything', 400, /"chat" does not make embeddings/],
    ['mm', 400, /does not exist here. Did you mean m\?/],
    ['nobody/m', 400, /does not exist here/],
  ] as const) {
    const { status: got, body } = await embed(under, { model: name })
    t.equal(got, status, name)
    if (message) t.match(body.error.message, message)
  }
  const responses = await under.request('/v1/responses', { body: { model: 'm', input: 'hi' } })
  t.equal(responses.status, 400)
  t.match(await responses.text(), /makes embeddings and does not generate text/)
  t.equal((await rank(under, {})).status, 400, 'it does not rerank either')
})

t.test('guardrails see each text, and may replace or refuse it', async t => {
  const seen: unknown[] = []
  const acme = embeddingWitness('acme', embedded, { embeddings: { takesTokens: true } })
  const guard = guarding({
    input(request) {
      seen.push(request.input)
      if (JSON.stringify(request).includes('FORBIDDEN')) return { refuse: invalidRequest('No.', undefined, 'invalid_prompt') }
      return { replace: JSON.parse(JSON.stringify(request).replaceAll('secret', '***')) }
    },
  })
  const under = await retrieving([acme.plugin, guard, listing(model({ provider: 'acme', tokenizer: 'cl100k_base' }))])
  t.teardown(under.stop)
  await embed(under, { input: ['a secret', 'b'], unknown_member: 1, user: 'jane.doe@example.com' })
  t.same(acme.calls[0]!.request.input, ['a ***', 'b'])
  t.equal(acme.calls[0]!.request.extra, undefined, 'members that no guardrail can check are not sent')
  t.equal(acme.calls[0]!.request.user, undefined, 'nor is the user')
  t.match(seen, [[{ role: 'user', content: [{ type: 'input_text', text: 'a secret' }] }, { content: [{ text: 'b' }] }]])
  t.equal((await embed(under, { input: 'FORBIDDEN' })).status, 400)

  // "hello world" by cl100k_base.
  await embed(under, { input: [[15339, 1917], [15339]] })
  t.match(seen.at(-1), [{ content: [{ text: 'hello world' }] }, { content: [{ text: 'hello' }] }])
  const unknown = await embed(under, { input: [[15339], [99_999_999]] })
  t.equal(unknown.status, 400)
  t.match(unknown.body.error.message, /'input\[1\]'.*tokens that the model does not know/)
  const unlisted = await embed(under, { model: 'acme/unlisted', input: [15339] })
  t.equal(unlisted.status, 400)
  t.match(unlisted.body.error.message, /does not have the tokenizer/)
})

t.test('a guardrail that changes more than texts refuses the request', async t => {
  const acme = embeddingWitness('acme')
  const guard = guarding({ input: request => ({ replace: { ...request, input: request.input.slice(1) } }) })
  const under = await retrieving([acme.plugin, guard, listing(model('acme'))])
  t.teardown(under.stop)
  t.equal((await embed(under, { input: ['a', 'b'] })).status, 503)
  t.equal(acme.calls.length, 0)
})

t.test('redaction works as in any other request', async t => {
  const acme = rerankWitness('acme')
  const under = await retrieving([acme.plugin, redaction({}), listing(ranker('acme'))], {
    key: { name: 'k', policy: { redaction: { value: true } } },
  })
  t.teardown(under.stop)
  const { body } = await rank(under, { query: 'Who is ann@example.com?', documents: ['ann@example.com', 'nobody'], return_documents: true })
  t.notMatch(JSON.stringify(acme.calls[0]!.request), 'ann@example.com')
  t.match(JSON.stringify(body.results), 'ann@example.com', 'the caller gets its own documents')
})

t.test('lists of tokens go to vendors that take them, and as text to others', async t => {
  const takes = embeddingWitness('takes', embedded, { embeddings: { takesTokens: true } })
  const texts = embeddingWitness('texts')
  const tokenizer = 'cl100k_base'
  const under = await retrieving([
    takes.plugin,
    texts.plugin,
    listing(
      { model: 'a', endpoints: [{ provider: 'takes', kind: 'embedding' }] },
      { model: 'b', endpoints: [{ provider: 'texts', kind: 'embedding', tokenizer }] },
      { model: 'c', endpoints: [{ provider: 'texts', kind: 'embedding' }] },
    ),
  ])
  t.teardown(under.stop)
  await embed(under, { model: 'a', input: [15339, 1917] })
  t.same(takes.calls[0]!.request.input, [[15339, 1917]])
  await embed(under, { model: 'b', input: [[15339, 1917], [15339]] })
  t.same(texts.calls[0]!.request.input, ['hello world', 'hello'])
  const refused = await embed(under, { model: 'c', input: [15339] })
  t.equal(refused.status, 400)
  t.match(refused.body.error.message, /takes no lists of tokens/)
})

t.test('more than 300,000 tokens', async t => {
  const acme = embeddingWitness('acme', embedded, { embeddings: { takesTokens: true } })
  const under = await retrieving([acme.plugin, listing(model('acme'))])
  t.teardown(under.stop)
  const word = ' word'
  t.equal((await embed(under, { input: word.repeat(299_000) })).status, 200)
  const long = await embed(under, { input: [word.repeat(200_000), word.repeat(101_000)] })
  t.equal(long.status, 400)
  t.match(long.body.error, { code: 'max_tokens_exceeded', param: 'input' })
  const listed = (count: number): object => ({ input: Array.from({ length: count }, () => Array.from({ length: 1_000 }, () => 1)) })
  t.equal((await embed(under, listed(300))).status, 200, 'more values than other bodies may have')
  t.match((await embed(under, listed(301))).body.error, { code: 'max_tokens_exceeded' })
})

t.test('a policy of zero data retention needs a certificate that names the kind', async t => {
  const zdrOf = (covers?: readonly 'embedding'[]) => ({ policy_url: 'https://example.com/zdr', ...(covers && { covers }) })
  for (const [certificate, status] of [
    [false, 422],
    [zdrOf(), 422],
    [zdrOf(['embedding']), 200],
  ] as const) {
    const acme = embeddingWitness('acme')
    const under = await retrieving([acme.plugin, zdr({}), listing(model({ provider: 'acme', zdr: certificate }))], {
      key: { name: 'k', policy: { zdr: { value: true } } },
    })
    t.teardown(under.stop)
    t.equal((await embed(under, { extra: 1 })).status, status)
    t.equal(acme.calls.length, status === 200 ? 1 : 0)
    t.equal(acme.calls[0]?.request.extra, undefined)
  }
})

t.test('limits and permissions of the key', async t => {
  const stage = async (key: object) => {
    const acme = embeddingWitness('acme')
    const under = await retrieving([acme.plugin, listing(model('acme'))], { key: { name: 'k', ...key } })
    t.teardown(under.stop)
    return under
  }
  const minute = 60_000
  const requests = await stage({ limits: [{ requests: 1, windowMs: minute }] })
  t.equal((await embed(requests, {})).status, 200)
  t.equal((await embed(requests, {})).status, 429)
  const tokens = await stage({ limits: [{ tokens: 20, windowMs: minute }] })
  t.equal((await embed(tokens, { input: 'x'.repeat(400) })).status, 429)
  t.equal((await embed(tokens, { input: 'hi' })).status, 200)
  const capped = await stage({ spendCapUsd: 0.000_1 })
  t.equal((await embed(capped, { input: 'x'.repeat(40) })).status, 200)
  t.equal((await embed(capped, { input: 'lorem ipsum '.repeat(2_000) })).status, 402)
  t.equal((await embed(await stage({ models: ['other'] }), {})).status, 403)
})

t.test('a vendor that counts nothing is estimated', async t => {
  const acme = embeddingWitness('acme', call => ({ vectors: embedded(call).vectors }), { embeddings: { limits: () => ({ inputs: 1 }) } })
  const under = await retrieving([acme.plugin, listing(model({ provider: 'acme', tokenizer: 'cl100k_base' }))])
  t.teardown(under.stop)
  const { body, id } = await embed(under, { input: ['hello world', 'hello'] })
  t.equal(body.usage.prompt_tokens, 3)
  t.match((await under.record(id)).usage, { uncachedInput: 3, estimated: true })
})

t.test('a reply that does not fit is a failure of the provider', async t => {
  for (const reply of [{}, { vectors: [] }, { vectors: [[1], [2]] }, { vectors: [''] }, { vectors: [{}] }, { vectors: [null] }, null]) {
    const under = await retrieving([embeddingWitness('acme', () => reply as never).plugin, listing(model('acme'))])
    t.teardown(under.stop)
    const { status, body } = await embed(under, {})
    t.equal(status, 503)
    t.match(body.error.message, /The provider "acme"/)
  }
  const results = [
    [{ index: 2, score: 1 }],
    [{ index: 0, score: Number.NaN }],
    [
      { index: 0, score: 1 },
      { index: 0, score: 2 },
    ],
    [],
  ]
  for (const list of results) {
    const under = await retrieving([rerankWitness('acme', () => ({ results: list })).plugin, listing(ranker('acme'))])
    t.teardown(under.stop)
    t.equal((await rank(under, {})).status, 503)
  }
})

t.test('too many documents are refused before anything is sent', async t => {
  const acme = rerankWitness('acme', reranked, { maxDocuments: () => 1 })
  const under = await retrieving([acme.plugin, listing(ranker('acme'))])
  t.teardown(under.stop)
  const { status, body } = await rank(under, {})
  t.equal(status, 400)
  t.match(body.error, { param: 'documents', message: /at most 1 documents/ })
  t.equal(acme.calls.length, 0)
  const larger = rerankWitness('larger')
  const both: CatalogEntry = {
    model: 'm',
    endpoints: [
      { kind: 'rerank', provider: 'acme' },
      { kind: 'rerank', provider: 'larger' },
    ],
  }
  const two = await retrieving([acme.plugin, larger.plugin, listing(both)])
  t.teardown(two.stop)
  t.equal((await rank(two, {})).body.model, 'larger/m', 'another endpoint takes them')
})

t.test('wrappers answer and look, observers learn', async t => {
  const ended: EndedCall[] = []
  const begun: BegunCall[] = []
  const looked: unknown[] = []
  const observer: CallObserver = {
    name: 'observer',
    begin(call) {
      begun.push(call)
      return { end: end => void ended.push(end) }
    },
  }
  const cache: CallWrapper = {
    name: 'cache',
    seesContent: 'local',
    keepsContent: false,
    timeoutMs: 1_000,
    embedding: ({ request }) =>
      request.input[0] === 'known' ? { answer: { vectors: [[9]] } } : { end: answered => void looked.push(answered) },
  }
  const acme = embeddingWitness('acme')
  const under = await retrieving([acme.plugin, listing(model('acme')), adding(CallObservers, observer), adding(CallWrappers, cache)])
  t.teardown(under.stop)
  const { body, headers, id } = await embed(under, { input: 'known' })
  t.same(body.data[0].embedding, [9])
  t.same(body.usage, { prompt_tokens: 0, total_tokens: 0, cost_usd: 0 })
  t.equal(headers.get('x-gateway-attempts'), '0')
  t.equal(acme.calls.length, 0)
  t.match(await under.record(id), { costUsd: 0, notes: [{ kind: 'answered-by' }] })
  await embed(under, { input: 'other' })
  t.match(looked, [{ endpoint: { provider: 'acme' }, reply: { vectors: [vectorOf('other')] } }])
  t.match(begun, [{ kind: 'embedding' }, { kind: 'embedding' }])
  t.match(ended, [
    { outcome: 'ok', answeredBy: 'cache' },
    { outcome: 'ok', usage: { uncachedInput: 5 } },
  ])
})

t.test('a wrapper that sends content away needs an agreement that names the kind', async t => {
  const policyUrl = 'https://example.com/zdr'
  for (const [covers, isAsked] of [
    [undefined, false],
    [['rerank'], false],
    [['embedding'], true],
  ] as const) {
    let asked = 0
    const cache: CallWrapper = {
      name: 'cache',
      seesContent: { zdr: { policy_url: policyUrl, ...(covers && { covers }) }, hipaa: false },
      keepsContent: false,
      timeoutMs: 1_000,
      embedding: () => void asked++,
    }
    const certificate = { policy_url: policyUrl, covers: ['embedding'] } as const
    const entry = model({ provider: 'acme', zdr: certificate })
    const under = await retrieving([embeddingWitness('acme').plugin, zdr({}), listing(entry), adding(CallWrappers, cache)], {
      key: { name: 'k', policy: { zdr: { value: true } } },
    })
    t.teardown(under.stop)
    t.equal((await embed(under, {})).status, 200)
    t.equal(asked > 0, isAsked)
  }
})

t.test('a client that leaves ends the request', async t => {
  const reached = Promise.withResolvers<AbortSignal>()
  const acme = embeddingWitness('acme', ({ signal }) => {
    reached.resolve(signal)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  })
  const under = await retrieving([acme.plugin, listing(model('acme'))])
  t.teardown(under.stop)
  const leaving = new AbortController()
  const asking = under.request('/v1/embeddings', { body: { model: 'm', input: 'hi' }, signal: leaving.signal }).catch(() => {})
  const signal = await reached.promise
  leaving.abort()
  await asking
  await new Promise<void>(resolve => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())))
  const [record] = await under.recorded(1)
  t.equal(record!.status, 499)
})
