import t, { type Test } from 'tap'
import { gateway, hello, saying, type GatewayUnderTest } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'
import zdrGuard from '../../../plugins/guardrails/zdr/index.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const zdr = { policy_url: 'https://globex.example.com/zdr' }
const anthropic = { 'anthropic-version': '2023-06-01' }

async function open(t: Test): Promise<GatewayUnderTest> {
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      saying('globex', hello),
      zdrGuard({}),
      listing(
        {
          model: 'both',
          created: 1_767_225_600,
          endpoints: [
            {
              provider: 'acme',
              contextWindow: 1_000,
              price: { input: 0.000001, output: 12.5, tiers: [{ above: 10, input: 1, output: 2 }] },
              capabilities: { tools: true, structuredOutput: 'json_schema' },
            },
            { provider: 'globex', contextWindow: 2_000, maxOutputTokens: 100, price: { input: 0, output: 1 }, zdr },
          ],
        },
        ...names.map(model => ({ model, endpoints: [{ provider: 'acme' }] })),
        { model: 'judge', endpoints: [{ provider: 'acme', kind: 'decision' as const }] },
      ),
    ],
  })
  t.teardown(under.stop)
  return under
}

async function read(under: GatewayUnderTest, path: string, headers = {}): Promise<{ readonly status: number; readonly body: any }> {
  const reply = await under.request(path, { headers })
  return { status: reply.status, body: await reply.json() }
}

t.test('the facts of an entry are those of the first provider that the key may use', async t => {
  const under = await open(t)
  const entry = async (settings: object, path = '/v1/models'): Promise<any> => {
    const key = await under.gateway.issueKey({ name: 'one', ...settings })
    const { body } = await read(under, path, { authorization: `Bearer ${key}` })
    return body.data?.find(({ id }: { id: string }) => id === 'both') ?? body
  }
  const acme = {
    context_length: 1_000,
    max_output_tokens: null,
    pricing: { input: 0.000001, tiers: [{ above: 10, input: 1 }], prompt: '0.000000000001', completion: '0.0000125' },
    capabilities: { tools: true, structured_output: 'json_schema' },
  }
  const globex = {
    context_length: 2_000,
    max_output_tokens: 100,
    pricing: { input: 0, tiers: [], prompt: '0', completion: '0.000001' },
    capabilities: {},
  }
  for (const path of ['/v1/models', '/v1/models/both']) {
    t.match(await entry({}, path), { id: 'both', created: 1_767_225_600, ...acme }, path)
    t.match(await entry({ providers: ['globex'] }, path), globex, path)
    t.match(await entry({ policy: { zdr: { value: true } } }, path), globex, `${path}, with zero data retention`)
    t.match(await entry({}, path), acme, 'what other keys see is not kept')
  }
})

t.test('pages of the list', async t => {
  const under = await open(t)
  const all = (await read(under, '/v1/models')).body
  t.match(all, { object: 'list', first_id: 'auto', has_more: false })
  t.equal(all.last_id, all.data.at(-1).id)
  for (const limit of [1, 2, 3, all.data.length]) {
    const seen: unknown[] = []
    for (let after = ''; ;) {
      const { body } = await read(under, `/v1/models?limit=${limit}${after}`)
      seen.push(...body.data)
      t.equal(body.last_id, body.data.at(-1).id)
      if (!body.has_more) break
      after = `&after=${encodeURIComponent(body.last_id)}`
    }
    t.same(seen, all.data, `by ${limit}`)
  }
  const none = await read(under, `/v1/models?after=${encodeURIComponent(all.last_id)}`)
  t.same(none.body, { object: 'list', data: [], first_id: null, last_id: null, has_more: false })
  for (const query of ['after=nobody', 'after=', 'after=a&after=b', `after=${'x'.repeat(500)}`]) {
    const { status, body } = await read(under, `/v1/models?${query}`)
    t.equal(status, 400, query)
    t.match(body.error, { type: 'invalid_request_error', param: 'after' })
    t.ok(body.error.message.length < 300)
  }
  const key = await under.gateway.issueKey({ name: 'limited', models: ['a', 'b'] })
  const hidden = await read(under, '/v1/models?after=both', { authorization: `Bearer ${key}` })
  t.equal(hidden.status, 400, 'a model that the key may not use is in no list')
})

t.test('with anthropic-version, the list and its models have the form of that API', async t => {
  const under = await open(t)
  const { body } = await read(under, '/v1/models', anthropic)
  const none = { capabilities: null, deprecated_at: null, lifecycle: 'active', line: null, retires_at: null }
  const auto = {
    type: 'model',
    id: 'auto',
    display_name: 'auto',
    created_at: '1970-01-01T00:00:00Z',
    max_input_tokens: null,
    max_tokens: null,
    ...none,
  }
  t.same(body.data[0], auto)
  const both = {
    type: 'model',
    id: 'both',
    display_name: 'both',
    created_at: '2026-01-01T00:00:00Z',
    max_input_tokens: 1_000,
    max_tokens: null,
    ...none,
  }
  const ids: readonly string[] = body.data.map(({ id }: { id: string }) => id)
  t.same(body.data[ids.indexOf('both')], both)
  t.notOk(ids.includes('judge'), 'clients of this API generate text')
  t.same([body.first_id, body.last_id, body.has_more, 'object' in body], ['auto', ids.at(-1), false, false])

  t.same((await read(under, '/v1/models/both', anthropic)).body, both)
  t.same((await read(under, '/v1/models/auto', anthropic)).body, auto)
  t.match((await read(under, '/v1/models/acme/brand-new', anthropic)).body, { type: 'model', id: 'acme/brand-new', max_tokens: null })

  const forth = await read(under, '/v1/models?limit=2&after_id=a', anthropic)
  t.same([forth.body.first_id, forth.body.last_id, forth.body.has_more], ['b', 'c', true])
  const back = await read(under, '/v1/models?limit=2&before_id=d', anthropic)
  t.same([back.body.first_id, back.body.last_id, back.body.has_more], ['b', 'c', true])
  const start = ids.indexOf('a')
  const first = await read(under, `/v1/models?limit=999&before_id=a`, anthropic)
  t.same([first.body.data.length, first.body.has_more], [start, false])
  for (const query of ['limit=0', 'limit=1001', 'after_id=nobody', 'before_id=nobody', 'after_id=a&before_id=b'])
    t.equal((await read(under, `/v1/models?${query}`, anthropic)).status, 400, query)
})

t.test('below /v1beta, and to clients of that API, the list and its models have the form of Google', async t => {
  const under = await open(t)
  const both = {
    name: 'models/both',
    baseModelId: 'both',
    version: '001',
    displayName: 'both',
    inputTokenLimit: 1_000,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
  const { body } = await read(under, '/v1beta/models?pageSize=1000')
  const all: readonly string[] = body.models.map(({ name }: { name: string }) => name)
  t.equal(all[0], 'models/auto')
  t.same(body.models[all.indexOf('models/both')], both)
  t.notOk('nextPageToken' in body)
  t.same((await read(under, '/v1beta/models/both')).body, both)
  t.match((await read(under, '/v1beta/models/acme%2Fbrand-new')).body, { name: 'models/acme/brand-new' })
  const google = { authorization: '', 'x-goog-api-key': under.apiKey }
  t.same((await read(under, '/v1/models/both', google)).body, both)
  t.same((await read(under, `/v1/models/both?key=${under.apiKey}`, { authorization: '' })).body, both)
  t.equal((await read(under, '/v1/models/both')).body.object, 'model', 'others get the form of OpenAI')

  const paged: string[] = []
  for (let token = ''; ;) {
    const page = await read(under, `/v1beta/models?pageSize=3&pageToken=${token}`)
    paged.push(...page.body.models.map(({ name }: { name: string }) => name))
    if (!page.body.nextPageToken) break
    token = page.body.nextPageToken
  }
  t.same(paged, all)
  for (const query of ['pageSize=0', 'pageSize=1001', 'pageToken=bm9ib2R5', 'pageSize=1&pageSize=2'])
    t.match(
      await read(under, `/v1beta/models?${query}`),
      { status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT' } } },
      query,
    )
  t.match(await read(under, '/v1beta/models/nobody'), { status: 404, body: { error: { status: 'NOT_FOUND' } } })
})

t.test('errors are in the form of the list', async t => {
  const under = await open(t)
  for (const [path, headers, status, type] of [
    ['/v1/models?limit=0', {}, 400, 'invalid_request_error'],
    ['/v1/models/nobody', {}, 404, 'not_found_error'],
    ['/v1/models', { authorization: 'Bearer tp_wrong' }, 401, 'authentication_error'],
    ['/v1/models/a', { authorization: '' }, 401, 'authentication_error'],
  ] as const) {
    const reply = await under.request(path, { headers: { ...anthropic, ...headers } })
    t.equal(reply.status, status, path)
    const requestId = reply.headers.get('x-request-id')
    t.match(await reply.json(), { type: 'error', error: { type, message: String }, request_id: requestId })
    const usual = await under.request(path, { headers })
    t.equal(usual.status, status, path)
    const body = (await usual.json()) as any
    t.same(Object.keys(body), ['error'])
    t.ok(body.error.code)
  }
  t.equal((await under.request('/v1/models', { method: 'DELETE', headers: anthropic })).status, 405)
  t.equal((await under.request('/v1/models/a', { method: 'DELETE' })).status, 405)
})

t.test('a page in the form of Anthropic has 20 models unless the client asks for more', async t => {
  const many = Array.from({ length: 30 }, (_, index) => ({ model: `m${index}`, endpoints: [{ provider: 'acme' }] }))
  const under = await gateway({ plugins: [saying('acme', hello), listing(...many)] })
  t.teardown(under.stop)
  const { body } = await read(under, '/v1/models', anthropic)
  t.same([body.data.length, body.has_more], [20, true])
  t.ok((await read(under, '/v1/models?limit=1000', anthropic)).body.data.length > 30)
})
