import t from 'tap'
import type { GenerationEvent } from '../../../core/index.ts'
import { ResponseStore, type StoredResponse } from '../../../core/stores.ts'
import { checkResponse, testGateway } from '../../../core/testing/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import { ask, providing, stop, text, usage } from '../../kit/stage.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { read, send } from './reading.ts'

const hi = { model: 'acme/m', input: 'hi' }
/** Thoughts with a state, a search with results, and a text with log probabilities. */
const rich: readonly GenerationEvent[] = [
  { type: 'reasoning', text: 'Hm.', form: 'summary' },
  { type: 'reasoning-state', opaque: 'a thought' },
  {
    type: 'search',
    key: '1',
    status: 'completed',
    action: { type: 'search', query: 'cats', sources: [{ type: 'url', url: 'https://example.com/' }] },
    results: [{ url: 'https://example.com/', title: 'Cats' }],
  },
  { type: 'text', text: 'Meow', logprobs: [{ token: 'Meow', logprob: -1 }] },
  usage(3, 2),
  stop,
]

t.test('a stored response is read as it was given, deleted once, and never cancelled', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  for (const [stream, slash] of [
    [true, ''],
    [false, '/'],
  ] as const) {
    const { response } = await ask(under, { ...hi, stream })
    const path = `/${response.id}`
    const got = await read(under, path + slash)
    t.equal(got.status, 200)
    t.equal(got.headers.get('content-type'), 'application/json')
    t.same(checkResponse(got.body), response)
    t.same((await read(under, `${path}?stream=false`)).body, response)

    const cancelled = await send(under, 'POST', `${path}/cancel${slash}`)
    t.equal(cancelled.status, 400)
    t.match(cancelled.body['error'], { type: 'invalid_request_error', message: 'Cannot cancel a synchronous response.', param: null })

    const deleted = await send(under, 'DELETE', path + slash)
    t.equal(deleted.status, 200)
    t.same(deleted.body, { id: response.id, object: 'response', deleted: true })
    for (const [method, rest] of everyRoute) {
      const gone = await send(under, method, path + rest + slash)
      t.equal(gone.status, 404, `${method} …${rest}`)
      t.match(gone.body['error'], {
        type: 'invalid_request_error',
        code: 'not_found',
        message: `Response with id '${response.id}' not found.`,
      })
    }
    const records = await Promise.all([got, cancelled, deleted].map(({ requestId }) => under.record(requestId)))
    t.same(
      records.map(({ status, method }) => [method, status]),
      [
        ['GET', 200],
        ['POST', 400],
        ['DELETE', 200],
      ],
    )
  }
})

const everyRoute = [
  ['GET', ''],
  ['DELETE', ''],
  ['GET', '/input_items'],
  ['POST', '/cancel'],
] as const

t.test('another owner’s response looks unknown; a second key of the owner sees it', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)], key: { name: 'a', user: 'ada', policy: { logging: { value: true } } } })
  t.teardown(under.stop)
  const { response } = await ask(under, hi)
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
  const foreign = as(await under.gateway.issueKey({ name: 'b', user: 'bob', policy: { logging: { value: true } } }))
  const rotated = as(await under.gateway.issueKey({ name: 'c', user: 'ada' }))
  const unknown = async (id: string, [method, rest]: (typeof everyRoute)[number]): Promise<string> => {
    const { status, body } = await send(under, method, `/${id}${rest}`, foreign)
    t.equal(status, 404)
    return JSON.stringify(body).replaceAll(id, 'ID')
  }
  for (const route of everyRoute) {
    t.equal(await unknown(response.id, route), await unknown('resp_nobody', route), 'the same words')
    const keyless = await send(under, route[0], `/${response.id}${route[1]}`, { headers: { authorization: '' } })
    t.equal(keyless.status, 401)
  }
  t.same((await send(under, 'GET', `/${response.id}`, rotated)).body, response)
})

t.test('what is not stored is not found: store is false, or the key has logging off', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const { response } = await ask(under, { ...hi, store: false })
  t.equal(response['store'], false)
  t.equal((await read(under, `/${response.id}`)).status, 404)
  const silent = await gateway({ plugins: [saying('acme', hello)], key: { name: 'silent' } })
  t.teardown(silent.stop)
  const unlogged = (await ask(silent, hi)).response
  t.equal(unlogged['store'], false)
  t.equal((await read(silent, `/${unlogged.id}`)).status, 404)
})

t.test('words of the protocol are no ids, and what cannot be an id is not looked up', async t => {
  const asked: string[] = []
  const store: ResponseStore = {
    put: async () => {},
    get: async (_, id) => void asked.push(id) as undefined,
    chain: async () => undefined,
    items: async () => new Map(),
    delete: async (_, id) => asked.push(id) < 0,
  }
  const plugins = [memory({ services: ['keys', 'metrics', 'limits', 'ledger'] }), providing(ResponseStore, store)]
  const bare = await testGateway({
    plugins: [...plugins, localSealer({ masterKey: 'ab'.repeat(32) }), responses({}), saying('acme', hello)],
  })
  t.teardown(bare.stop)
  const status = async (method: string, path: string): Promise<readonly [number, string, string | null]> => {
    const reply = await bare.request(`/v1/responses${path}`, { method })
    const { error } = (await reply.json()) as { readonly error: { readonly message: string; readonly param: string | null } }
    return [reply.status, error.message, error.param]
  }
  for (const method of ['GET', 'DELETE']) {
    t.same(await status(method, '/health'), [404, `Nothing is served at ${method} /v1/responses/health.`, null])
    for (const word of ['input_tokens', 'compact', 'compact/'])
      t.same(await status(method, `/${word}`), [405, `The method ${method} is not allowed here. Use POST.`, null])
  }
  for (const [method, path] of [
    ['POST', '/compact/cancel'],
    ['GET', '/input_tokens/input_items'],
    ['GET', '/resp_1/output_items'],
  ] as const)
    t.equal((await status(method, path))[1], `Nothing is served at ${method} /v1/responses${path}.`)
  for (const [method, path] of [
    ['POST', '/resp_1'],
    ['PUT', '/resp_1'],
    ['GET', ''],
    ['GET', '/'],
  ] as const)
    t.equal((await status(method, path))[0], 405)
  for (const [method, rest] of everyRoute) {
    for (const id of ['a'.repeat(129), 'a%20b', 'a%2Fb', '%00', "'%20or%201=1", 'ü']) {
      const [code, message, param] = await status(method, `/${id}${rest}`)
      t.same([code, param], [400, 'id'], `${id}: ${message}`)
    }
  }
  t.same(asked, [])
  t.equal((await status('GET', `/${'a'.repeat(128)}`))[0], 404)
  t.equal(asked.length, 1)
})

t.test('a store that fails is a 503', async t => {
  const broken = async (): Promise<never> => {
    throw new Error('disk.example.com is full')
  }
  const store: ResponseStore = { put: broken, get: broken, chain: broken, items: broken, delete: broken }
  const plugins = [memory({ services: ['keys', 'metrics', 'limits', 'ledger'] }), providing(ResponseStore, store)]
  const bare = await testGateway({
    plugins: [...plugins, localSealer({ masterKey: 'ab'.repeat(32) }), responses({}), saying('acme', hello)],
  })
  t.teardown(bare.stop)
  for (const [method, rest] of everyRoute) {
    const reply = await bare.request(`/v1/responses/resp_1${rest}`, { method })
    const body = await reply.text()
    t.equal(reply.status, 503)
    t.match(JSON.parse(body).error, { type: 'server_error', code: 'server_error' })
    t.notMatch(body, 'disk.example.com')
  }
})

/** The members of an item that depend on `include`. */
interface Shown {
  readonly encrypted_content?: string
  readonly action?: { readonly sources: readonly object[] }
  readonly results?: readonly object[]
  readonly content?: readonly { readonly logprobs: readonly object[] }[]
}

t.test('include says what is shown, when the response is made and when it is read', async t => {
  const under = await gateway({ plugins: [saying('acme', rich)] })
  t.teardown(under.stop)
  const all = ['reasoning.encrypted_content', 'message.output_text.logprobs', 'web_search_call.results']
  const shown = ({ output }: { readonly output?: unknown }): readonly boolean[] => {
    const [reasoning, search, message] = output as readonly [Shown, Shown, Shown]
    t.same(search.action!.sources, [{ type: 'url', url: 'https://example.com/' }], 'sources are always shown')
    return [
      typeof reasoning.encrypted_content === 'string',
      message.content![0]!.logprobs.length === 1,
      JSON.stringify(search.results) === '[{"url":"https://example.com/","title":"Cats"}]',
    ]
  }
  for (const stream of [true, false]) {
    const { response } = await ask(under, { ...hi, include: all, stream })
    t.same(shown(response), [true, true, true])
    const path = `/${response.id}`
    const bare = (await read(under, path)).body
    t.same(shown(bare), [false, false, false])
    t.notOk('encrypted_content' in bare['output'][0] || 'results' in bare['output'][1], 'left out, not null')
    for (const [index, name] of all.entries()) {
      const expected = [0, 1, 2].map(place => place === index)
      for (const query of [`include[]=${name}`, `include%5B%5D=${encodeURIComponent(name)}`, `include=${name}`])
        t.same(shown((await read(under, `${path}?${query}`)).body), expected, query)
    }
    const everything = await read(under, `${path}?${all.map(name => `include[]=${name}`).join('&')}`)
    t.same(checkResponse(everything.body), response)

    const unasked = (await ask(under, { ...hi, stream })).response
    t.same(shown(unasked), [false, false, false])
    const state = (await read(under, `/${unasked.id}?include[]=reasoning.encrypted_content`)).body
    t.same(shown(state), [true, false, false], 'the state was stored although it was not shown')
    const again = await ask(under, { ...hi, input: [state['output'][0], { role: 'user', content: 'go on' }] })
    t.equal(again.status, 200)
  }
})

t.test('a bad query is a 400 that names the parameter', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const { response } = await ask(under, hi)
  const refused = async (path: string, param: string, message: RegExp): Promise<void> => {
    const { status, body } = await read(under, `/${response.id}${path}`)
    t.equal(status, 400, path)
    t.match(body['error'], { type: 'invalid_request_error', param, message })
  }
  for (const path of ['', '/input_items']) {
    await refused(`${path}?include[]=everything`, 'include[0]', /'web_search_call.results'/)
    await refused(`${path}?include[]=reasoning.encrypted_content&include=x`, 'include[1]', /expected one of/)
    await refused(`${path}?${'include[]=reasoning.encrypted_content&'.repeat(9)}`, 'include', /At most 8 .* got 9/)
  }
  await refused('?stream=true', 'stream', /cannot be streamed/)
  await refused('?stream=null', 'stream', /expected true or false/)
  await refused('?stream=false&stream=false', 'stream', /expected one, but got 2/)
  await refused('/input_items?limit=1&limit=2', 'limit', /expected one, but got 2/)
  await refused('?stream=true&starting_after=3', 'stream', /cannot be streamed/)
  for (const limit of ['0', '101', '-1', '1.5', '', 'ten', '1e1', '9999999999999999999'])
    await refused(`/input_items?limit=${limit}`, 'limit', /from 1 to 100/)
  await refused('/input_items?order=random', 'order', /'asc' or 'desc'/)
  await refused('/input_items?after=msg_nobody', 'after', /no input item/)
  await refused('/input_items?before=msg_nobody', 'before', /no input item/)
})

t.test('items of foreign tools show what was included', async t => {
  const items = [
    { type: 'file_search_call', status: 'completed', queries: ['a'], results: [{ file_id: 'f' }] },
    { type: 'code_interpreter_call', status: 'completed', code: '1', outputs: [{ type: 'logs', logs: '1' }] },
  ] as const
  const under = await gateway({ plugins: [saying('acme', [...items.map(item => ({ type: 'item' as const, item })), text('a'), stop])] })
  t.teardown(under.stop)
  const { response } = await ask(under, hi)
  const bare = (await read(under, `/${response.id}`)).body['output']
  t.notOk('results' in bare[0] || 'outputs' in bare[1])
  const full = (await read(under, `/${response.id}?include[]=file_search_call.results&include[]=code_interpreter_call.outputs`)).body[
    'output'
  ]
  t.match(full, items)
})

t.test('a turn that was stored without its items still shows what the client received', async t => {
  const kept = new Map<string, StoredResponse>()
  const store: ResponseStore = {
    put: async (_, response) => void kept.set(response.id, { ...response, output: [] }),
    get: async (_, id) => kept.get(id),
    chain: async () => undefined,
    items: async () => new Map(),
    delete: async (_, id) => kept.delete(id),
  }
  const plugins = [memory({ services: ['keys', 'metrics', 'limits', 'ledger'] }), providing(ResponseStore, store)]
  const bare = await testGateway({
    plugins: [...plugins, localSealer({ masterKey: 'ab'.repeat(32) }), responses({}), saying('acme', hello)],
  })
  t.teardown(bare.stop)
  const { response } = await ask(bare, hi)
  t.same(await (await bare.request(`/v1/responses/${response.id}`)).json(), response)
})
