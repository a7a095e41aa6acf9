import { connect } from 'node:net'
import { definePlugin, Routes } from '../../../core/index.ts'
import { testGateway, type TestGateway } from '../../../core/testing/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import models from '../../../plugins/endpoints/models/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { byEveryWay } from '../../kit/by-every-way.ts'
import { gateway, listeningGateway } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { listing } from '../../kit/stage.ts'

interface ErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly param: string | null; readonly code: string }
}

const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`
const text = (value: unknown): string => JSON.stringify(value)
const hi = { model: 'sandbox/echo', input: 'hi' }

/** body, status, code, param */
const badBodies: readonly (readonly [string, string, number, string, string | null])[] = [
  ['malformed JSON', '{"model": "sandbox/echo", "input": }', 400, 'invalid_json', null],
  ['an empty body', '', 400, 'invalid_json', null],
  ['an array', '[]', 400, 'invalid_value', null],
  ['null', 'null', 400, 'invalid_value', null],
  ['deep nesting', `{"model":"sandbox/echo","input":"hi","metadata":${deep}}`, 400, 'invalid_json', null],
  ['no model', text({ input: 'hi' }), 400, 'missing_required_parameter', 'model'],
  ['no input', text({ model: 'sandbox/echo' }), 400, 'missing_required_parameter', 'input'],
  ['null input', text({ model: 'sandbox/echo', input: null }), 400, 'missing_required_parameter', 'input'],
  ['an empty input', text({ ...hi, input: '' }), 400, 'invalid_value', 'input'],
  ['an empty list', text({ ...hi, input: [] }), 400, 'invalid_value', 'input'],
  ['a number as input', text({ ...hi, input: 5 }), 400, 'invalid_type', 'input'],
  ['an item that is a string', text({ ...hi, input: ['hi'] }), 400, 'invalid_type', 'input[0]'],
  ['an unknown item', text({ ...hi, input: [{ type: 'telegram' }] }), 400, 'invalid_value', 'input[0]'],
  ['an unknown role', text({ ...hi, input: [{ role: 'king', content: 'x' }] }), 400, 'invalid_value', 'input[0].role'],
  [
    'a part without text',
    text({ ...hi, input: [{ role: 'user', content: [{ type: 'input_text' }] }] }),
    400,
    'missing_required_parameter',
    'input[0].content[0].text',
  ],
  [
    'an unknown part',
    text({ ...hi, input: [{ role: 'user', content: [{ type: 'smell' }] }] }),
    400,
    'invalid_value',
    'input[0].content[0]',
  ],
  [
    'a call without arguments',
    text({ ...hi, input: [{ type: 'function_call', call_id: 'a', name: 'b' }] }),
    400,
    'missing_required_parameter',
    'input[0].arguments',
  ],
  [
    'an output without its call',
    text({ ...hi, input: [{ type: 'function_call_output', call_id: 'a', output: 'b' }] }),
    400,
    'invalid_value',
    'input[0].call_id',
  ],
  ['an unknown reference', text({ ...hi, input: [{ type: 'item_reference', id: 'msg_1' }] }), 400, 'invalid_value', 'input'],
  ['a temperature of 3', text({ ...hi, temperature: 3 }), 400, 'invalid_value', 'temperature'],
  ['a top_p of 2', text({ ...hi, top_p: 2 }), 400, 'invalid_value', 'top_p'],
  ['no output tokens', text({ ...hi, max_output_tokens: 0 }), 400, 'invalid_value', 'max_output_tokens'],
  ['half an output token', text({ ...hi, max_output_tokens: 1.5 }), 400, 'invalid_type', 'max_output_tokens'],
  ['stream as a string', text({ ...hi, stream: 'yes' }), 400, 'invalid_type', 'stream'],
  ['an unknown effort', text({ ...hi, reasoning: { effort: 'heroic' } }), 400, 'invalid_value', 'reasoning.effort'],
  [
    '17 pairs of metadata',
    text({ ...hi, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) }),
    400,
    'invalid_value',
    'metadata',
  ],
  ['metadata that is a number', text({ ...hi, metadata: { a: 1 } }), 400, 'invalid_type', 'metadata.a'],
  ['an unknown include', text({ ...hi, include: ['everything'] }), 400, 'invalid_value', 'include[0]'],
  ['a tool without a name', text({ ...hi, tools: [{ type: 'function' }] }), 400, 'missing_required_parameter', 'tools[0].name'],
  ['a tool without a type of words', text({ ...hi, tools: [{ type: 'a hammer' }] }), 400, 'invalid_value', 'tools[0]'],
  [
    'a choice of a tool that is not there',
    text({ ...hi, tools: [{ type: 'function', name: 'a' }], tool_choice: { type: 'function', name: 'b' } }),
    400,
    'invalid_value',
    'tool_choice',
  ],
  ['a required choice without tools', text({ ...hi, tool_choice: 'required' }), 400, 'invalid_value', 'tool_choice'],
  ['a bad interval', text({ ...hi, routing: { provider: { interval: '5 parsecs' } } }), 400, 'invalid_value', 'routing.provider.interval'],
  ['a bad sort', text({ ...hi, routing: { model: { sort: 'beauty' } } }), 400, 'invalid_value', 'routing.model.sort'],
  [
    'an unknown fallback',
    text({ ...hi, routing: { model: { fallbacks: ['sandbox/echo', 'ecko'] } } }),
    400,
    'model_not_found',
    'routing.model.fallbacks[1]',
  ],
  [
    'an unknown provider fallback',
    text({ ...hi, routing: { provider: { fallbacks: ['sandpit'] } } }),
    400,
    'invalid_value',
    'routing.provider.fallbacks[0]',
  ],
  [
    'a conversation and a previous response',
    text({ ...hi, conversation: 'c', previous_response_id: 'resp_1' }),
    400,
    'invalid_value',
    'conversation',
  ],
  [
    'an unknown previous response',
    text({ ...hi, previous_response_id: 'resp_1' }),
    400,
    'previous_response_not_found',
    'previous_response_id',
  ],
  ['half a character in a model name', text({ ...hi, model: 'sandbox/\ud800' }), 400, 'invalid_value', 'model'],
  [
    'half a character in a fallback',
    text({ ...hi, routing: { model: { fallbacks: ['sandbox/echo', '\udc00'] } } }),
    400,
    'invalid_value',
    'routing.model.fallbacks[1]',
  ],
  [
    '65 fallbacks',
    text({ ...hi, routing: { model: { fallbacks: Array(65).fill('auto') } } }),
    400,
    'invalid_value',
    'routing.model.fallbacks',
  ],
  ['2,001 tools', text({ ...hi, tools: Array(2_001).fill({}) }), 400, 'invalid_value', 'tools'],
  ['10,001 items', text({ ...hi, input: Array(10_001).fill({}) }), 400, 'invalid_value', 'input'],
  ['an unknown model', text({ ...hi, model: 'sandbox-echo' }), 400, 'model_not_found', 'model'],
]

byEveryWay('bad bodies are told apart, with the field by its path', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  for (const [name, body, status, code, param] of badBodies) {
    for (const stream of [false, true]) {
      const sent = stream && body.startsWith('{"') && !body.includes('"stream"') ? body.replace('{', '{"stream":true,') : body
      const reply = await fetch(`${under.url}/v1/responses`, {
        method: 'POST',
        body: sent,
        headers: { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' },
      })
      const { error } = (await reply.json()) as ErrorBody
      t.same([reply.status, error.code, error.param], [status, code, param], `${name}: ${error.message}`)
      t.ok(error.message.length > 10 && error.type === 'invalid_request_error')
      t.match(reply.headers.get('x-request-id'), /^req_[0-9a-f]{32}$/)
    }
  }
  const alive = await under.request('/v1/responses', { body: hi })
  t.equal(alive.status, 200, 'the process goes on serving')
})

byEveryWay('an unknown name brings the nearest ones', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  const nearest = async (model: string): Promise<string> =>
    ((await (await under.request('/v1/responses', { body: { ...hi, model } })).json()) as ErrorBody).error.message
  t.match(await nearest('sandbox-echo'), /Did you mean sandbox\/echo\?/)
  t.match(await nearest('sandbx/echo'), /Did you mean sandbox\/echo\?/)
  t.match(await nearest('sandbux/other-model'), /Did you mean sandbox\/…\?/)
  t.match(await nearest('zzzzzz'), /GET \/v1\/models/)
})

byEveryWay('a path that nobody serves brings what is served instead', async t => {
  const under = await gateway()
  t.teardown(under.stop)
  for (const [path, told] of [
    [
      '/v1/chat/completions',
      /^Nothing is served at POST \/v1\/chat\/completions\. .*Chat Completions.* POST \/v1\/responses, with "input"/,
    ],
    ['/v1/chat/completions/', /POST \/v1\/responses/],
    ['/chat/completions', /POST \/v1\/responses/],
    ['/v1/completions', /POST \/v1\/responses/],
    ['/v1/messages', /POST \/v1\/responses/],
    ['/v1/embeddings', /does not serve embeddings/],
    ['/v1/conversations', /previous_response_id/],
    ['/v1/conversations/conv_demo/items', /previous_response_id/],
    ['/responses', /Did you mean \/v1\/responses\?$/],
    ['/v1/response', /Did you mean \/v1\/responses\?$/],
    ['/v1/v1/responses', /Did you mean \/v1\/responses\?$/],
    ['/v1/responses/abc/more', /^Nothing is served at POST \/v1\/responses\/abc\/more\.$/],
    ['/wp-login.php', /^Nothing is served at POST \/wp-login\.php\.$/],
  ] as const) {
    const reply = await under.request(path, { body: {} })
    const { error } = (await reply.json()) as ErrorBody
    t.same([reply.status, error.code], [404, 'not_found'])
    t.match(error.message, told, path)
  }
  t.match(await under.recorded(13), [{ status: 404, errorCode: 'not_found' }], 'with a record')
})

byEveryWay('a hint never names a path that is itself a 404', async t => {
  const clock = new FakeClock(Date.parse('2026-10-26T12:00:00Z'))
  const movedAt = Date.parse('2026-10-27')
  const moved = definePlugin({
    name: 'moved',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(registrar) {
      const isGone = (): boolean => clock.now() >= movedAt
      const handle = (): { readonly status: number } => ({ status: isGone() ? 404 : 200 })
      registrar.add(Routes, { method: 'POST', path: '/v1/orders', auth: 'key', handle, isGone })
    },
  })
  const under = await gateway({ clock, plugins: [decisions({}), moved({})] })
  t.teardown(under.stop)
  const misspelled = [
    '/v1/order',
    '/orders',
    '/v1/decision',
    '/decisions',
    '/v1/decisionss',
    '/v1/systemon',
    '/v1/model',
    '/models',
    '/v1/response',
    '/v1/responses/helth',
  ]
  const named = async (): Promise<readonly (string | undefined)[]> =>
    await Promise.all(
      misspelled.map(async path => {
        const { error } = (await (await under.request(path, { body: {} })).json()) as ErrorBody
        const hint = /Did you mean (\S+)\?$/.exec(error.message)?.[1]
        if (hint !== undefined) t.not((await under.request(hint, { body: {} })).status, 404, `${path} is told ${hint}`)
        return hint
      }),
    )
  t.ok((await named()).includes('/v1/orders'))
  clock.pass(24 * 60 * 60_000)
  t.equal((await under.request('/v1/orders', { body: {} })).status, 404)
  const after = await named()
  t.notOk(after.includes('/v1/orders'))
  t.ok(
    after.includes('/v1/decisions') && after.includes('/v1/systemone') && after.includes('/v1/models') && after.includes('/v1/responses'),
  )
})

byEveryWay('errors name paths of other endpoints only where they are served', async t => {
  const decides = listing({ model: 'judge', endpoints: [{ provider: 'sandbox', upstreamModel: 'dm', kind: 'decision' }] })
  const bare = [memory({}), localSealer({ masterKey: 'ab'.repeat(32) }), responses({}), sandbox({}), decides]
  const asking = async (under: Pick<TestGateway, 'request'>): Promise<readonly string[]> =>
    await Promise.all(
      ['zzzzzz', 'auto', 'judge'].map(
        async model => ((await (await under.request('/v1/responses', { body: { ...hi, model } })).json()) as ErrorBody).error.message,
      ),
    )
  const alone = await testGateway({ plugins: bare })
  t.teardown(alone.stop)
  t.notMatch((await asking(alone)).join(), /\/v1\//)
  const whole = await testGateway({ plugins: [...bare, models({}), decisions({})] })
  t.teardown(whole.stop)
  t.match(await asking(whole), [/GET \/v1\/models lists/, /GET \/v1\/models lists/, /POST \/v1\/systemone/])
})

byEveryWay('the surface: paths, methods, content types, sizes and keys', async t => {
  const under = await listeningGateway({ settings: { maxBodyBytes: 2_000 } })
  t.teardown(under.stop)
  const key = { authorization: `Bearer ${under.apiKey}` }
  const json = { 'content-type': 'application/json' }
  const post = (body: string | ReadableStream, headers: Record<string, string>, path = '/v1/responses'): Promise<Response> =>
    fetch(`${under.url}${path}`, { method: 'POST', body, headers, ...(typeof body !== 'string' && { duplex: 'half' }) } as RequestInit)
  const large = text({ ...hi, input: 'x'.repeat(3_000) })
  const cases: readonly (readonly [string, Promise<Response>, number, string])[] = [
    ['an unknown path', fetch(`${under.url}/v1/nothing`, { headers: key }), 404, 'not_found'],
    ['an unknown method', fetch(`${under.url}/v1/responses`, { headers: key }), 405, 'method_not_allowed'],
    ['a doubled slash', fetch(`${under.url}//v1/models`, { headers: key }), 404, 'not_found'],
    ['a model that is not listed', fetch(`${under.url}/v1/models/sandbux/ecko`, { headers: key }), 404, 'model_not_found'],
    [
      'no content type',
      fetch(`${under.url}/v1/responses`, { method: 'POST', body: new Blob([text(hi)]), headers: key }),
      415,
      'unsupported_media_type',
    ],
    ['a form', post('a=b', { ...key, 'content-type': 'application/x-www-form-urlencoded' }), 415, 'unsupported_media_type'],
    ['an unknown compression', post('x', { ...key, ...json, 'content-encoding': 'lzma' }), 415, 'unsupported_media_type'],
    ['an announced body over the limit', post(large, { ...key, ...json }), 413, 'request_too_large'],
    ['a streamed body over the limit', post(new Blob([large]).stream(), { ...key, ...json }), 413, 'request_too_large'],
    ['no key', post(text(hi), json), 401, 'invalid_api_key'],
    ['another scheme', post(text(hi), { ...json, authorization: 'Basic abc' }), 401, 'invalid_api_key'],
    ['a malformed key', post(text(hi), { ...json, authorization: 'Bearer tp_demo' }), 401, 'invalid_api_key'],
    [
      'a changed key',
      post(text(hi), { ...json, authorization: `Bearer ${under.apiKey.slice(0, -1)}${under.apiKey.endsWith('0') ? '1' : '0'}` }),
      401,
      'invalid_api_key',
    ],
    ['models without a key', fetch(`${under.url}/v1/models`), 401, 'invalid_api_key'],
  ]
  for (const [name, pending, status, code] of cases) {
    const reply = await pending
    const { error } = (await reply.json()) as ErrorBody
    t.same([reply.status, error.code], [status, code], `${name}: ${error.message}`)
  }
  const health = await fetch(`${under.url}/v1/responses/health`)
  t.same(
    [health.status, health.headers.get('content-type'), health.headers.get('content-length'), await health.text()],
    [200, 'application/json', '0', ''],
  )
  for (const path of ['/v1/responses', '/v1/responses/'])
    t.equal((await post(text(hi), { ...key, ...json }, path)).status, 200, `${path} is served`)
})

byEveryWay('a body that breaks off, and bytes that are no HTTP, leave the process serving', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  const { port } = new URL(under.url)
  const raw = (bytes: string): Promise<string> =>
    new Promise(resolve => {
      let got = ''
      const socket = connect(Number(port), '127.0.0.1', () => socket.end(bytes))
      socket
        .on('data', chunk => (got += String(chunk)))
        .on('close', () => resolve(got))
        .on('error', () => resolve(got))
    })
  const head = `POST /v1/responses HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${under.apiKey}\r\ncontent-type: application/json\r\n`
  await raw(`${head}content-length: 500\r\n\r\n{"model"`)
  t.match(await raw('nonsense\r\n\r\n'), /^HTTP\/1\.1 400/)
  const invalid = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])
  const reply = await fetch(`${under.url}/v1/responses`, {
    method: 'POST',
    body: invalid,
    headers: { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' },
  })
  t.equal(reply.status, 400, 'invalid UTF-8 reads as an object without a model')
  t.equal((await under.request('/v1/responses', { body: hi })).status, 200)
})

byEveryWay('every request leaves one record, and health none', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  await fetch(`${under.url}/v1/responses/health`)
  const ids = await Promise.all(
    [
      under.request('/v1/responses', { body: hi }),
      under.request('/v1/responses', { body: { ...hi, stream: true } }),
      under.request('/v1/responses', { body: { model: 'sandbox/fail', input: '503' } }),
      under.request('/v1/responses', { body: {} }),
      under.request('/v1/models', { headers: { authorization: 'none' } }),
      under.request('/nothing'),
    ].map(async pending => {
      const reply = await pending
      await reply.text()
      return reply.headers.get('x-request-id')!
    }),
  )
  const records = await under.recorded(6)
  t.equal(records.length, 6)
  const statuses = ids.map(id => records.filter(record => record.id === id).map(({ status }) => status))
  t.same(statuses, [[200], [200], [424], [400], [401], [404]])
  t.ok(records.every(({ request, response, status }) => status === 200 || (!request && !response)))
})

byEveryWay('a route that throws is a 500, and the log names its plugin', async t => {
  const broken = definePlugin({
    name: 'acme-whoami',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(registrar) {
      const handle = (): never => {
        throw new TypeError('secret words')
      }
      registrar.add(Routes, { method: 'GET', path: '/v1/whoami', auth: 'none', handle })
    },
  })
  const under = await gateway({ plugins: [broken({})] })
  t.teardown(under.stop)
  t.equal((await under.request('/v1/whoami')).status, 500)
  const line = under.logs.find(each => each.includes('a request failed'))
  t.match(line, '"plugin":"acme-whoami"')
  t.match(line, '"error":"TypeError"')
  t.notMatch(line, 'secret words')
})
