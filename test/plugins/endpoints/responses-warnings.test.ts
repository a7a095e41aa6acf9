import t from 'tap'
import { testGateway } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import webSearch from '../../../plugins/tools/web-search/index.ts'
import { engine } from '../../kit/search-stage.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { ask, stop, text, witness } from '../../kit/stage.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'

const hi = { model: 'acme/m', input: 'hi' }

/** Without request logging, nothing is stored, and nothing runs in the background. */
const silent = { name: 'silent' }

/** Members that a request sets in vain, by the names that the warnings give them. */
const asked: Readonly<Record<string, object>> = {
  background: { background: true },
  conversation: { conversation: { id: 'conv_1' } },
  prompt: { prompt: { id: 'p', version: '1', variables: {} } },
  safety_identifier: { safety_identifier: 'someone' },
  stream_options: { stream_options: { include_obfuscation: true } },
  service_tier: { service_tier: 'flex' },
  truncation: { truncation: 'auto' },
  system: { system: 'Be brief.' },
  max_tokens: { max_tokens: 10 },
  max_completion_tokens: { max_completion_tokens: 10 },
  response_format: { response_format: { type: 'json_object' } },
  reasoning_effort: { reasoning_effort: 'low' },
  verbosity: { verbosity: 'low' },
  functions: { functions: [] },
  function_call: { function_call: 'auto' },
  logprobs: { logprobs: true },
  messages: { messages: [] },
  n: { n: 2 },
  stop: { stop: ['.'] },
}

const defaults = [
  { background: false, service_tier: 'auto', truncation: 'disabled', stream_options: {}, routing: { model: { fallbacks: [] } } },
  { routing: { model: { sort: 'cost' }, provider: { sort: 'p95_latency', interval: '1h' } } },
  { service_tier: 'default', stream_options: { include_obfuscation: null }, n: 1, logprobs: false, something_new: true },
  Object.fromEntries(Object.keys(asked).map(name => [name.split('.')[0], null])),
]

t.test('parameters without effect are named, unless they have their default value', async t => {
  const under = await gateway({ key: silent, plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  for (const [param, body] of Object.entries(asked))
    for (const stream of [true, false]) {
      const { status, headers } = await ask(under, { ...hi, ...body, stream })
      t.equal(status, 200)
      t.match(headers.get('x-gateway-warnings'), new RegExp(`^${param}: [^;]+$`), param)
    }
  for (const body of defaults) t.equal((await ask(under, { ...hi, ...body })).headers.get('x-gateway-warnings'), null)
  const counted = await under.request('/v1/responses/input_tokens', { body: { ...hi, background: true } })
  t.match(counted.headers.get('x-gateway-warnings'), /background: /)
})

t.test('a stream that begins before the answer has the warnings too', async t => {
  const answer = Promise.withResolvers<void>()
  const slow = scripted('acme', async function* () {
    await answer.promise
    yield* hello
  })
  const under = await gateway({ key: silent, settings: { commitAfterMs: 1 }, plugins: [slow] })
  t.teardown(under.stop)
  const { headers, body } = await under.request('/v1/responses', { body: { ...hi, background: true, stream: true } })
  t.match(headers.get('x-gateway-warnings'), /^background: /)
  t.equal(headers.get('x-gateway-provider'), null)
  answer.resolve()
  await new Response(body).text()
})

t.test('all warnings of a request are one bounded header', async t => {
  const many = Array.from({ length: 100 }, (_, index) => ({ type: 'warning' as const, param: `param_${index}`, message: 'was left out' }))
  const acme = witness('acme', (_, count) => (count === 1 ? [text('ok'), stop] : [...many, text('ok'), stop]))
  const under = await gateway({ key: silent, plugins: [acme.plugin] })
  t.teardown(under.stop)
  const everything = Object.assign({}, ...Object.values(asked)) as object
  const all = (await ask(under, { ...hi, ...everything })).headers.get('x-gateway-warnings')!
  t.same(
    all
      .split('; ')
      .map(warning => warning.split(':')[0]!)
      .toSorted(),
    Object.keys(asked).toSorted(),
  )
  t.equal((await ask(under, { ...hi, ...everything })).headers.get('x-gateway-warnings')!.length, 2_000)
  t.match((await ask(under, { ...hi, ...everything })).headers.get('x-gateway-warnings'), /\.\.\.$/)
})

t.test('no provider gets a member of the other protocol', async t => {
  const acme = witness('acme', () => hello)
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  await ask(under, { ...hi, max_tokens: 5, something_new: 1 })
  t.same(acme.calls[0]!.request.extra, { dialect: 'openai-responses', fields: { something_new: 1 } })
})

t.test('nothing is remembered under a conversation', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  for (const conversation of ['conv_1', { id: 'conv_1' }])
    for (const stream of [true, false]) t.equal((await ask(under, { ...hi, conversation, stream })).response['conversation'], null)
})

t.test('an operator can have requests refused that ask for what the gateway does not have', async t => {
  const under = await testGateway({
    key: silent,
    plugins: [memory({}), localSealer({ masterKey: 'ab'.repeat(32) }), responses({ unsupported: 'refuse' }), saying('acme', hello)],
  })
  t.teardown(under.stop)
  for (const param of ['background', 'conversation', 'prompt'])
    for (const stream of [true, false]) {
      const { status, error } = await ask(under, { ...hi, ...asked[param], stream })
      t.equal(status, 400)
      t.match(error, {
        type: 'invalid_request_error',
        code: 'unsupported_parameter',
        param,
        message: `This gateway does not support ${param}. `,
      })
    }
  const counted = await under.request('/v1/responses/input_tokens', { body: { ...hi, background: true } })
  t.equal(counted.status, 400)
  const harmless = ['safety_identifier', 'stream_options', 'service_tier', 'truncation', 'max_tokens']
  for (const param of harmless) t.equal((await ask(under, { ...hi, ...asked[param] })).status, 200, `${param} changes no answer`)
  for (const { routing: _, ...body } of defaults as readonly { readonly routing?: object }[])
    t.equal((await ask(under, { ...hi, ...body })).status, 200)
})

t.test('the forms of the other protocol are refused with the form that is expected', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const f = { type: 'function', name: 'f' }
  const chat = { type: 'function', function: { name: 'f', parameters: {} } }
  const cases: readonly (readonly [body: object, param: string, message: RegExp])[] = [
    [
      { input: undefined, messages: [{ role: 'user', content: 'hi' }] },
      'input',
      /^Missing required parameter: 'input'\. messages .* as input/,
    ],
    [{ tools: [f, chat] }, 'tools[1].name', /Expected \{"type":"function","name":"…","parameters":\{…\}\}/],
    [{ tools: [f], tool_choice: chat }, 'tool_choice.name', /Expected \{"type":"function","name":"…"\}/],
    [{ input: [{ content: 'hi' }] }, 'input[0].role', /A message needs a role/],
    [message('user', [{ type: 'text', text: 'hi' }]), 'input[0].content[0].type', /"text" belongs .* Use "input_text"/],
    [message('assistant', [{ type: 'text', text: 'hi' }]), 'input[0].content[0].type', /Use "output_text"/],
    [
      message('user', [
        { type: 'input_text', text: 'hi' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ]),
      'input[0].content[1]',
      /Use \{"type":"input_image","image_url":"https:/,
    ],
    [message('user', [{ type: 'input_image', image_url: { url: 'https://example.com/a.png' } }]), 'input[0].content[0]', /"input_image"/],
    [{ input: [{ role: 'tool', tool_call_id: 'call_1', content: '1' }] }, 'input[0].role', /Use \{"type":"function_call_output"/],
    [
      { input: [{ role: 'assistant', content: null, tool_calls: [{ id: 'call_1', ...chat }] }] },
      'input[0].tool_calls',
      /an item \{"type":"function_call"/,
    ],
    [
      { text: { format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } } },
      'text.format.json_schema',
      /Use \{"type":"json_schema","name":"…","schema"/,
    ],
    [{ input: 42 }, 'input', /^Invalid type for 'input': expected a string or an array, but got a number\.$/],
    [
      { prompt: { id: 'pmpt_1' } },
      'prompt.version',
      /^Missing required parameters: 'prompt\.version', 'prompt\.variables'\. .*send its text as instructions and input\.$/,
    ],
  ]
  for (const [body, param, message] of cases) {
    const { status, error } = await ask(under, { ...hi, ...body })
    t.equal(status, 400)
    t.match(error, { type: 'invalid_request_error', param, message })
  }
})

t.test('an unknown member that is almost a known one is named', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  for (const [misspelled, meant] of [
    ['max_output_token', 'max_output_tokens'],
    ['temprature', 'temperature'],
    ['previous_responce_id', 'previous_response_id'],
    ['Model', 'model'],
  ] as const) {
    const { headers } = await ask(under, { ...hi, [misspelled]: 1 })
    t.equal(headers.get('x-gateway-warnings'), `${misspelled}: unknown, so it may have no effect: did you mean ${meant}?`)
  }
  const vendors = { top_k: 1, seed: 1, min_p: 0.1, repetition_penalty: 1, response: 1, logit_bias: {}, ['temperature'.repeat(99)]: 1 }
  t.equal((await ask(under, { ...hi, ...vendors })).headers.get('x-gateway-warnings'), null, 'members of vendors are not')
})

t.test('an unknown member inside routing or a tool is named, with the nearest known one', async t => {
  const under = await gateway({ plugins: [saying('acme', hello), engine('found').plugin, webSearch({})] })
  t.teardown(under.stop)
  const f = { type: 'function', name: 'f', parameters: { type: 'object', anything: 1 } }
  const search = (members: object): object => ({ tools: [f, { type: 'web_search', ...members }] })
  const routing = 'unknown, so it has no effect'
  const tool = 'unknown, so it may have no effect'
  const cases: readonly (readonly [body: object, param: string, effect: string, meant?: string])[] = [
    [{ routing: { model: { fallback: ['m'] } } }, 'routing.model.fallback', routing, 'routing.model.fallbacks'],
    [{ routing: { provider: { fallback: ['m'] } } }, 'routing.provider.fallback', routing, 'routing.provider.fallbacks'],
    [{ routing: { fallbacks: ['acme/m'] } }, 'routing.fallbacks', routing, 'routing.model.fallbacks'],
    [{ routing: { model: { interval: '1h' } } }, 'routing.model.interval', routing, 'routing.provider.interval'],
    [{ routing: { provider: { order: ['acme'] } } }, 'routing.provider.order', routing, 'routing.provider.fallbacks'],
    [{ routing: { models: ['acme/m'] } }, 'routing.models', routing, 'routing.model.fallbacks'],
    [{ routing: { quantizations: ['fp8'] } }, 'routing.quantizations', routing],
    [{ routing: { ['a; b: c\n']: 1 } }, 'routing.*', routing],
    [search({ allowed_domains: ['example.com'] }), 'tools[1].allowed_domains', tool, 'tools[1].filters.allowed_domains'],
    [search({ blocked_domain: ['example.com'] }), 'tools[1].blocked_domain', tool, 'tools[1].filters.blocked_domains'],
    [search({ filters: { allow_domains: [] } }), 'tools[1].filters.allow_domains', tool, 'tools[1].filters.allowed_domains'],
    [search({ filters: { excluded_domains: [] } }), 'tools[1].filters.excluded_domains', tool, 'tools[1].filters.blocked_domains'],
    [search({ max_results: 3 }), 'tools[1].max_results', tool, 'tools[1].search_context_size'],
    [search({ country: 'DE' }), 'tools[1].country', tool, 'tools[1].user_location.country'],
    [{ tools: [{ ...f, paramters: {} }] }, 'tools[0].paramters', tool, 'tools[0].parameters'],
    [{ tools: [{ ...f, cache_control: {} }] }, 'tools[0].cache_control', tool],
    [
      { tools: [{ type: 'namespace', name: 'n', tools: [f, { ...f, name: 'g', stricct: true }] }] },
      'tools[0].tools[1].stricct',
      tool,
      'tools[0].tools[1].strict',
    ],
    [
      { tools: [{ type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"', definitions: 1 } }] },
      'tools[0].format.definitions',
      tool,
      'tools[0].format.definition',
    ],
  ]
  for (const [body, param, effect, meant] of cases) {
    const { status, headers } = await ask(under, { ...hi, ...body })
    t.equal(status, 200)
    const told = (headers.get('x-gateway-warnings') ?? '').split('; ').filter(each => each.includes('unknown'))
    t.same(told, [`${param}: ${effect}${meant ? `: did you mean ${meant}?` : ''}`])
  }
  const silent = [
    { routing: { model: { fallback: null }, provider: { fallbacks: ['acme'] } } },
    { tools: [{ ...f, strict: null, defer_loading: true, output_schema: {} }] },
    search({ external_web_access: true, search_content_types: ['text'], user_location: { type: 'approximate' }, allowed_domains: null }),
  ]
  for (const body of silent) t.equal((await ask(under, { ...hi, ...body })).headers.get('x-gateway-warnings'), null, JSON.stringify(body))
  const many = { routing: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`member_${index}`, 1])) }
  t.equal((await ask(under, { ...hi, ...many })).headers.get('x-gateway-warnings')!.split('; ').length, 20)
  const counted = await under.request('/v1/responses/input_tokens', { body: { ...hi, routing: { model: { fallback: ['m'] } } } })
  t.match(counted.headers.get('x-gateway-warnings'), /routing\.model\.fallback: /)
})

t.test('members of another gateway are told their counterpart', async t => {
  const acme = witness('acme', () => hello)
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  for (const [body, counterpart] of [
    [{ models: ['acme/m', 'acme/n'] }, 'routing.model.fallbacks'],
    [{ provider: { order: ['acme'] } }, 'routing.provider'],
    [{ plugins: [{ id: 'web' }] }, 'tools, such as {"type":"web_search"}'],
  ] as const) {
    const { headers } = await ask(under, { ...hi, ...body })
    const [param] = Object.keys(body)
    t.equal(headers.get('x-gateway-warnings'), `${param}: has no effect on this gateway, it belongs to another one: use ${counterpart}`)
    t.same(acme.calls.at(-1)!.request.extra?.fields, body, 'a provider with the same API still gets it')
  }
})

t.test('a base URL that ends in /responses is told so', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  for (const path of ['/v1/responses/responses', '/responses/responses']) {
    const reply = await under.request(path, { body: hi })
    t.equal(reply.status, 404)
    t.match(await reply.json(), { error: { message: /Did you mean \/v1\/responses\?/ } })
  }
})

function message(role: string, content: readonly object[]): object {
  return { input: [{ role, content }] }
}
