import t from 'tap'
import { PolicySources, ProviderFailure, type FailureKind, type JsonObject } from '../../../core/index.ts'
import { ResponseStore } from '../../../core/stores.ts'
import { testGateway, type TestGateway } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { adding, listing, providing } from '../../kit/stage.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'

// Every status of contract/responses.md §10.2, with body and headers.

const hi = { model: 'acme/m', input: 'hi' }

const failing = (kind: FailureKind, more: { readonly retryAfterMs?: number; readonly upstream?: string } = {}) =>
  scripted('acme', async function* () {
    throw new ProviderFailure({ kind, message: `it is ${kind}`, ...more })
  })

const key = { name: 'test', policy: { logging: { value: true } } } as const
const policySource = adding(PolicySources, {
  level: 'org',
  policy: () => {
    throw new Error('policies.example.com is down')
  },
})

interface Case {
  readonly name: string
  readonly status: number
  readonly type: string
  readonly code: string
  readonly param?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly options: NonNullable<Parameters<typeof gateway>[0]>
  readonly replyHeaders?: Readonly<Record<string, string>>
}

const request = 'invalid_request_error'
const answering = { plugins: [saying('acme', hello)], key }

const cases: readonly Case[] = [
  {
    name: 'a field',
    status: 400,
    type: request,
    code: 'invalid_value',
    param: 'temperature',
    body: { ...hi, temperature: 3 },
    options: answering,
  },
  {
    name: 'a model',
    status: 400,
    type: request,
    code: 'model_not_found',
    param: 'model',
    body: { ...hi, model: 'nobody' },
    options: answering,
  },
  {
    name: 'a previous response',
    status: 400,
    type: request,
    code: 'previous_response_not_found',
    param: 'previous_response_id',
    body: { ...hi, previous_response_id: 'resp_1' },
    options: answering,
  },
  {
    name: 'a previous response without request logging',
    status: 400,
    type: request,
    code: 'invalid_value',
    param: 'previous_response_id',
    body: { ...hi, previous_response_id: 'resp_1' },
    options: { ...answering, key: { name: 'test' } },
  },
  {
    name: 'the context window, by the provider',
    status: 400,
    type: request,
    code: 'context_length_exceeded',
    options: { plugins: [failing('context-length')] },
  },
  { name: 'what the provider refuses', status: 400, type: request, code: 'invalid_prompt', options: { plugins: [failing('refused')] } },
  {
    name: 'no key',
    status: 401,
    type: 'authentication_error',
    code: 'invalid_api_key',
    headers: { authorization: '' },
    options: answering,
  },
  {
    name: 'the spend cap',
    status: 402,
    type: 'insufficient_credits',
    code: 'insufficient_credits',
    options: {
      plugins: [saying('acme', hello), listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1_000, output: 1_000 } }] })],
      key: { name: 'test', spendCapUsd: 0.001 },
    },
  },
  {
    name: 'a model of others',
    status: 403,
    type: 'permission_error',
    code: 'model_not_allowed',
    param: 'model',
    options: { ...answering, key: { name: 'test', models: ['other'] } },
  },
  {
    name: 'a provider of others',
    status: 403,
    type: 'permission_error',
    code: 'provider_not_allowed',
    param: 'model',
    options: { ...answering, key: { name: 'test', providers: ['other'] } },
  },
  {
    name: 'a large body',
    status: 413,
    type: request,
    code: 'request_too_large',
    body: { ...hi, input: 'x'.repeat(2_000) },
    options: { ...answering, settings: { maxBodyBytes: 1_000 } },
  },
  {
    name: 'no JSON',
    status: 415,
    type: request,
    code: 'unsupported_media_type',
    headers: { 'content-type': 'text/plain' },
    options: answering,
  },
  {
    name: 'a provider that is down',
    status: 424,
    type: 'provider_error',
    code: 'provider_error',
    options: { plugins: [failing('unavailable')] },
  },
  {
    name: 'a provider that is overloaded',
    status: 424,
    type: 'provider_error',
    code: 'provider_error',
    options: { plugins: [failing('overloaded')] },
  },
  {
    name: 'an account without credit',
    status: 424,
    type: 'provider_error',
    code: 'provider_error',
    options: { plugins: [failing('quota')] },
  },
  {
    name: 'the limit of the provider',
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    options: { plugins: [failing('rate-limit', { retryAfterMs: 2_500 })] },
    replyHeaders: { 'retry-after': '3', 'retry-after-ms': '2500' },
  },
  {
    name: 'the limit of the provider, which tells no time',
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    options: { plugins: [failing('rate-limit')] },
  },
  {
    name: 'a request larger than the window of the key',
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    body: { ...hi, max_output_tokens: 5_000 },
    options: { ...answering, key: { name: 'test', limits: [{ tokens: 100, windowMs: 60_000 }] } },
  },
  {
    name: 'policies that cannot be read',
    status: 503,
    type: 'server_error',
    code: 'server_error',
    options: { plugins: [saying('acme', hello), policySource] },
  },
  {
    name: 'a provider that is too slow',
    status: 504,
    type: 'server_error',
    code: 'provider_timeout',
    options: { plugins: [failing('timeout')] },
  },
]

t.test('every refusal has its status, its body, its headers and its record, streamed or not', async t => {
  for (const { name, status, type, code, param = null, body = hi, headers = {}, options, replyHeaders = {} } of cases) {
    const under = await gateway(options)
    for (const stream of [false, true]) {
      const reply = await under.request('/v1/responses', { body: { ...body, stream }, headers })
      const { error } = (await reply.json()) as { readonly error: JsonObject }
      t.equal(reply.status, status, name)
      t.match(error, { type, code, param })
      t.same(Object.keys(error).slice(0, 4).sort(), ['code', 'message', 'param', 'type'])
      t.ok(typeof error['message'] === 'string' && error['message'].length > 5, String(error['message']))
      t.equal(reply.headers.get('content-type'), 'application/json')
      for (const header of ['retry-after', 'retry-after-ms']) t.equal(reply.headers.get(header), replyHeaders[header] ?? null, header)
      t.match(await under.record(reply.headers.get('x-request-id')!), { status, errorCode: code })
    }
    await under.stop()
  }
})

t.test("the vendor's own words are passed on, save what they say of the gateway's account", async t => {
  const upstream = '{"error":{"message":"it broke"}}'
  for (const kind of ['unavailable', 'rate-limit', 'timeout', 'context-length', 'quota', 'auth'] as const) {
    const under = await gateway({ plugins: [failing(kind, { upstream })] })
    const { error } = (await (await under.request('/v1/responses', { body: hi })).json()) as { readonly error: JsonObject }
    const own = kind === 'quota' || kind === 'auth'
    t.same(Object.keys(error).sort(), ['code', 'message', 'param', 'type', ...(own ? [] : ['upstream_error'])], kind)
    t.equal(error['upstream_error'], own ? undefined : upstream)
    t.equal(String(error['message']).includes(`it is ${kind}`), !own)
    await under.stop()
  }
})

t.test('a policy that leaves no provider is a 422 of exactly two members', async t => {
  for (const field of ['zdr', 'hipaa'] as const) {
    const under = await gateway({ plugins: [saying('acme', hello)], key: { name: 'test', policy: { [field]: { value: true } } } })
    for (const path of ['/v1/responses', '/v1/responses/input_tokens']) {
      const reply = await under.request(path, { body: hi })
      const { error } = (await reply.json()) as { readonly error: JsonObject }
      t.equal(reply.status, 422)
      t.same(Object.keys(error).sort(), ['message', 'type'])
      t.equal(error['type'], request)
      t.match(await under.record(reply.headers.get('x-request-id')!), { status: 422, policy: { [field]: { value: true, source: 'key' } } })
    }
    await under.stop()
  }
})

const routes = [
  ['GET', ''],
  ['DELETE', ''],
  ['GET', '/input_items'],
  ['POST', '/cancel'],
] as const

async function refusedBy(under: TestGateway, method: string, path: string, init: object = {}): Promise<readonly [number, JsonObject]> {
  const reply = await under.request(path, { method, ...init })
  return [reply.status, ((await reply.json()) as { readonly error: JsonObject }).error]
}

t.test('the routes of stored responses refuse in the same way', async t => {
  const under = await gateway({ ...answering, plugins: [...answering.plugins, policySource] })
  const unread = await gateway(answering)
  t.teardown(under.stop)
  t.teardown(unread.stop)
  for (const [method, rest] of routes) {
    const path = `/v1/responses/resp_1${rest}`
    const expect = async (stage: TestGateway, status: number, type: string, code: string, init: object = {}): Promise<void> => {
      const [got, error] = await refusedBy(stage, method, path, init)
      t.equal(got, status, `${method} ${path}`)
      t.match(error, { type, code })
      t.same(Object.keys(error).sort(), ['code', 'message', 'param', 'type'])
    }
    await expect(unread, 401, 'authentication_error', 'invalid_api_key', { headers: { authorization: 'Bearer tp_demo' } })
    await expect(unread, 404, request, 'not_found')
    await expect(under, 503, 'server_error', 'server_error')
  }
})

t.test('a store whose answers are no responses is a 503 that tells nothing', async t => {
  // A store that returns something other than a response.
  const broken = { secret: 'secret-of-the-store' }
  const store = {
    put: async () => {},
    get: async () => broken,
    chain: async () => [broken],
    items: async () => new Map(),
    delete: async () => true,
  } as unknown as ResponseStore
  const services = ['keys', 'metrics', 'limits', 'ledger'] as const
  const under = await testGateway({
    plugins: [
      memory({ services: [...services] }),
      providing(ResponseStore, store),
      localSealer({ masterKey: 'ab'.repeat(32) }),
      responses({}),
      saying('acme', hello),
    ],
  })
  t.teardown(under.stop)
  for (const [method, path, body] of [
    ['GET', '/v1/responses/resp_1', undefined],
    ['GET', '/v1/responses/resp_1/input_items', undefined],
    ['POST', '/v1/responses', { ...hi, previous_response_id: 'resp_1' }],
    ['POST', '/v1/responses', { ...hi, previous_response_id: 'resp_1', stream: true }],
    ['POST', '/v1/responses/input_tokens', { ...hi, previous_response_id: 'resp_1' }],
  ] as const) {
    const [status, error] = await refusedBy(under, method, path, body && { body })
    t.equal(status, 503, `${method} ${path}`)
    t.match(error, { type: 'server_error', code: 'server_error', param: null, message: /^Stored responses cannot be read/ })
    t.notMatch(JSON.stringify(error), 'secret-of-the-store')
  }
  const alive = await under.request('/v1/responses', { body: hi })
  t.equal(alive.status, 200)
})
