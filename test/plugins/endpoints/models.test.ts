import t from 'tap'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'
import { FakeClock } from '../../kit/set-up.ts'

const priceOf = (input: number, output: number): object => ({
  input,
  output,
  cache_read: null,
  cache_write_5m: null,
  cache_write_1h: null,
  reasoning: null,
  tiers: [],
  web_search: null,
  request: 0,
})
const zdr = { policy_url: 'https://acme.example.com/zdr', certificate_url: 'https://acme.example.com/zdr.pdf' }

t.test('models are listed, and described one by one with the retention of each provider', async t => {
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      saying('globex', hello),
      listing(
        {
          model: 'small',
          aliases: ['tiny'],
          created: 1_767_225_600,
          ownedBy: 'acme',
          endpoints: [
            { provider: 'acme', upstreamModel: 'small-2026', contextWindow: 1_000, price: { input: 1, output: 2 }, zdr },
            { provider: 'globex' },
          ],
        },
        { model: 'meta/llama', endpoints: [{ provider: 'globex' }] },
        { model: 'nowhere', endpoints: [{ provider: 'nobody' }] },
      ),
    ],
  })
  t.teardown(under.stop)
  const read = async (path: string) => {
    const reply = await under.request(path)
    return { status: reply.status, type: reply.headers.get('content-type'), body: (await reply.json()) as ModelsBody }
  }
  const list = await read('/v1/models')
  t.equal(list.status, 200)
  t.equal(list.type, 'application/json')
  t.equal(list.body.object, 'list')
  t.same(
    list.body.data.filter(({ owned_by }: { owned_by: string }) => owned_by === 'acme'),
    [
      {
        id: 'small',
        object: 'model',
        created: 1_767_225_600,
        owned_by: 'acme',
        context_length: 1_000,
        max_output_tokens: null,
        pricing: { ...priceOf(1, 2), prompt: '0.000001', completion: '0.000002' },
        capabilities: {},
      },
    ],
  )
  const ids = list.body.data.map(({ id }: { id: string }) => id)
  t.ok(ids.includes('meta/llama') && !ids.includes('nowhere') && !ids.includes('tiny'))
  t.notMatch(JSON.stringify(list.body), 'zdr', 'the list says nothing of retention')
  t.same((await read('/v1/models/')).body, list.body, 'with the slash as well')

  for (const name of ['small', 'tiny', 'globex/small', 'small/']) {
    const { status, body } = await read(`/v1/models/${name}`)
    t.equal(status, 200, name)
    t.match(body, { id: 'small', object: 'model', created: 1_767_225_600, owned_by: 'acme' })
    t.same(Object.keys(body.providers), ['acme', 'globex'])
    t.same(body.providers.acme.zdr, zdr)
    t.equal(body.providers.globex.zdr, false)
    t.match(body.providers.acme, { price: { input: 1, output: 2 }, context_window: 1_000 })
    t.equal(body.providers.globex.price, null, 'unknown, not free')
  }
  for (const name of ['meta/llama', 'meta%2Fllama']) t.equal((await read(`/v1/models/${name}`)).body.id, 'meta/llama', name)

  for (const name of ['globex/meta/llama', 'acme/small-2026', 'acme/tiny']) t.equal((await read(`/v1/models/${name}`)).status, 200, name)
  const unlisted = await read('/v1/models/acme/brand-new')
  t.match(unlisted.body, {
    id: 'acme/brand-new',
    listed: false,
    providers: { acme: { model: 'brand-new', context_window: null, max_output_tokens: null, price: null, zdr: false } },
  })
  t.equal((await read('/v1/models/small')).body.listed, true)
  t.match((await read('/v1/models/sandbox/echo')).body, {
    providers: { sandbox: { kind: 'generation', capabilities: { structured_output: 'json_schema', parallel_tools: true } } },
  })
  t.match((await read('/v1/models/sandbox/dm')).body, { providers: { sandbox: { kind: 'decision' } } })
  t.equal((await read('/v1/models/initech/small')).status, 404, 'a provider that is not here')

  const unreadable = await read('/v1/models/100%')
  t.equal(unreadable.status, 400)
  t.match(unreadable.body.error, { type: 'invalid_request_error', code: 'invalid_url' })
  t.equal((await read('/v1/models/100%25')).status, 404)
  const unknown = await read('/v1/models/smal')
  t.equal(unknown.status, 404)
  t.match(unknown.body.error, { type: 'invalid_request_error', code: 'model_not_found', message: /small/ })
  for (const path of ['/v1/models', '/v1/models/small'])
    t.equal((await under.request(path, { headers: { authorization: '' } })).status, 401, 'a key is needed')
})

t.test('each provider has its metrics, for any interval', async t => {
  const clock = new FakeClock()
  const under = await gateway({
    clock,
    plugins: [
      saying('acme', hello),
      saying('globex', hello),
      listing({ model: 'small', endpoints: [{ provider: 'acme' }, { provider: 'globex' }] }),
    ],
  })
  t.teardown(under.stop)
  const metrics = async (query = '', name = 'small'): Promise<any> => {
    const reply = await under.request(`/v1/models/${name}${query}`)
    t.equal(reply.status, 200, query)
    const { providers } = (await reply.json()) as { providers: Record<string, { metrics: unknown }> }
    return Object.fromEntries(Object.entries(providers).map(([provider, detail]) => [provider, detail.metrics]))
  }
  const none = { p50: null, p90: null, p99: null }
  const nothing = { requests: 0, uptime: null, throughput: null, latency_ms: none, e2e_latency_ms: none }
  t.strictSame(await metrics(), { acme: nothing, globex: nothing })
  t.strictSame(await metrics('', 'acme/brand-new'), { acme: nothing })

  for (const stream of [true, false])
    await (await under.request('/v1/responses', { method: 'POST', body: { model: 'acme/small', input: 'hi', stream } })).text()
  const { acme, globex } = await metrics()
  t.strictSame(globex, nothing)
  t.match(acme, { requests: 2, uptime: 1, latency_ms: { p50: Number, p90: Number, p99: Number }, e2e_latency_ms: { p50: Number } })
  clock.pass(17 * 60_000)
  t.equal((await metrics()).acme.requests, 0)
  for (const interval of ['20 minutes', '1h', '1 hour', '3d', '2 weeks', '1y', '10 years'])
    t.equal((await metrics(`?interval=${encodeURIComponent(interval)}`)).acme.requests, 2, interval)
  t.equal((await metrics('?interval=0m')).acme.requests, 0)

  for (const interval of ['', '15', '1 minute', '-1h', 'never', `${'9'.repeat(500)}x`]) {
    const reply = await under.request(`/v1/models/small?interval=${encodeURIComponent(interval)}`)
    t.equal(reply.status, 400, interval)
    const { error } = (await reply.json()) as { error: { message: string } }
    t.match(error, { type: 'invalid_request_error', param: 'interval', message: /such as 15m/ })
    t.ok(error.message.length < 300)
  }
  t.equal((await under.request('/v1/models?limit=5&limit=6')).status, 400)
})

t.test('a key is shown what it may use, and nothing else is there for it', async t => {
  const price = { input: 1, output: 2 }
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      saying('globex', hello),
      listing(
        { model: 'small', aliases: ['tiny'], endpoints: [{ provider: 'acme', price }, { provider: 'globex' }] },
        { model: 'large', aliases: ['huge'], endpoints: [{ provider: 'globex', price }] },
      ),
    ],
  })
  t.teardown(under.stop)
  const ids = async (key: string): Promise<readonly string[]> => {
    const reply = await under.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })
    return ((await reply.json()) as ModelsBody).data.map(({ id }) => id).filter(id => id !== 'auto')
  }
  const providers = async (key: string, name: string): Promise<readonly string[] | undefined> => {
    const reply = await under.request(`/v1/models/${name}`, { headers: { authorization: `Bearer ${key}` } })
    const body = (await reply.json()) as ModelsBody
    if (reply.status === 200) return Object.keys(body.providers)
    t.match(body.error, { type: 'invalid_request_error', code: 'model_not_found', param: 'id' })
    t.notMatch(JSON.stringify(body), /Did you mean/, 'and no name of another model')
    return undefined
  }
  const keys: readonly (readonly [object, readonly string[], Record<string, readonly string[] | undefined>])[] = [
    [
      { models: ['small'] },
      ['small'],
      { small: ['acme', 'globex'], tiny: ['acme', 'globex'], large: undefined, huge: undefined, larg: undefined },
    ],
    [{ models: ['globex/small'] }, ['small'], { small: ['globex'], 'acme/small': ['globex'], 'globex/large': undefined }],
    [{ providers: ['acme'] }, ['small'], { tiny: ['acme'], large: undefined, 'acme/brand-new': ['acme'], 'globex/brand-new': undefined }],
    [{ providers: ['globex'] }, ['small', 'large'], { small: ['globex'], huge: ['globex'] }],
    [{ models: [] }, [], { small: undefined, 'acme/brand-new': undefined }],
    [{ models: ['small', 'large'], spendCapUsd: 1 }, ['small', 'large'], { small: ['acme'], large: ['globex'] }],
  ]
  for (const [settings, listed, details] of keys) {
    const key = await under.gateway.issueKey({ name: 'limited', ...settings })
    t.same(await ids(key), listed, JSON.stringify(settings))
    for (const [name, shown] of Object.entries(details)) t.same(await providers(key, name), shown, `${JSON.stringify(settings)} ${name}`)
  }
  t.ok((await ids(under.apiKey)).length > 2, 'another key sees all')
})

t.test('auto is listed for keys that can use it, and described', async t => {
  const price = { input: 1, output: 2 }
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      saying('globex', hello),
      listing(
        { model: 'small', endpoints: [{ provider: 'acme', price }] },
        { model: 'large', auto: false, endpoints: [{ provider: 'globex', price }] },
      ),
    ],
  })
  t.teardown(under.stop)
  for (const [settings, isListed] of [
    [{}, true],
    [{ models: ['small'] }, true],
    [{ providers: ['globex', 'sandbox'] }, false],
    [{ models: [] }, false],
  ] as const) {
    const key = await under.gateway.issueKey({ name: 'one', ...settings })
    const headers = { authorization: `Bearer ${key}` }
    const { data } = (await (await under.request('/v1/models', { headers })).json()) as ModelsBody
    const unknown = { context_length: null, max_output_tokens: null, pricing: null, capabilities: {} }
    const auto = { id: 'auto', object: 'model', created: 0, owned_by: 'turnpike', ...unknown }
    if (isListed) t.strictSame(data[0], auto)
    t.equal(data.filter(({ id }) => id === 'auto').length, isListed ? 1 : 0, JSON.stringify(settings))
    const answer = await under.request('/v1/responses', { headers, body: { model: 'auto', input: 'hi' } })
    t.equal(answer.status === 200, isListed, 'what is listed can be used')
    const detail = await under.request('/v1/models/auto', { headers })
    t.equal(detail.status, isListed ? 200 : 404)
    if (isListed) t.strictSame(await detail.json(), { ...auto, aliases: [], family: null, listed: true, providers: {} })
  }
})

t.test('limit shortens the list', async t => {
  const under = await gateway({
    plugins: [saying('acme', hello), listing(...['a', 'b', 'c'].map(model => ({ model, endpoints: [{ provider: 'acme' }] })))],
  })
  t.teardown(under.stop)
  const all = ((await (await under.request('/v1/models')).json()) as ModelsBody).data
  for (const limit of [1, 2, all.length, 999_999_999]) {
    const { data } = (await (await under.request(`/v1/models?limit=${limit}`)).json()) as ModelsBody
    t.same(data, all.slice(0, limit))
  }
  for (const limit of ['', '0', '-1', '1.5', 'ten', '1e3', '9'.repeat(500)]) {
    const reply = await under.request(`/v1/models?limit=${limit}`)
    t.equal(reply.status, 400, limit)
    const { error } = (await reply.json()) as { error: { message: string } }
    t.match(error, { type: 'invalid_request_error', code: 'invalid_value', param: 'limit', message: /such as 20, got / })
    t.ok(error.message.length < 300)
  }
})

/** The members of the list, of a detail and of an error that are looked at here. */
interface ModelsBody {
  readonly object: string
  readonly id: string
  readonly listed: boolean
  readonly data: readonly { readonly id: string; readonly owned_by: string }[]
  readonly providers: { readonly [id in 'acme' | 'globex']: { readonly zdr: unknown; readonly price: unknown } }
  readonly error: unknown
}
