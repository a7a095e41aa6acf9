import t from 'tap'
import type { Capabilities, GenerationEvent, Item, ProviderCall } from '../../../core/index.ts'
import { efforts, type Effort } from '../../../core/kit.ts'
import { closestEffort } from '../../../core/generation/lowering/effort.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { ask, guarding, listing, stop, text, witness } from '../../kit/stage.ts'

/** The request as the provider sees it, and the warnings that the caller gets. */
async function lowered(capabilities: Capabilities, body: object, more: { maxOutputTokens?: number } = {}) {
  const acme = witness('acme', () => hello)
  const { maxOutputTokens } = more
  const under = await gateway({
    plugins: [acme.plugin, listing({ model: 'm', endpoints: [{ provider: 'acme', capabilities, maxOutputTokens }] })],
  })
  const replies = [await ask(under, { model: 'm', ...body }), await ask(under, { model: 'm', stream: true, ...body })]
  await under.stop()
  const [whole, streamed] = replies.map(reply => ({
    status: reply.status,
    warnings: reply.headers.get('x-gateway-warnings'),
    error: reply.status === 200 ? undefined : reply.error,
    response: reply.status === 200 ? reply.response : undefined,
  }))
  t.equal(streamed!.status, whole!.status)
  t.equal(streamed!.warnings, whole!.warnings, 'a stream says the same')
  return { ...whole!, request: acme.calls[0]?.request as (ProviderCall['request'] & Record<string, unknown>) | undefined }
}

t.test('an effort moves up and then down to the closest that is supported', async t => {
  const cases: readonly (readonly [Effort, readonly Effort[], Effort | undefined])[] = [
    ['medium', ['low', 'high'], 'high'],
    ['xhigh', ['low', 'high'], 'high'],
    ['minimal', ['none', 'medium'], 'medium'],
    ['none', ['low', 'high'], 'low'],
    ['max', ['none'], 'none'],
    ['low', [], undefined],
  ]
  for (const [asked, supported, expected] of cases) {
    t.equal(closestEffort(asked, supported), expected)
    const { status, request, warnings, response } = await lowered({ efforts: supported }, { reasoning: { effort: asked, summary: 'auto' } })
    t.equal(status, 200)
    t.same(request!.reasoning, { ...(expected && { effort: expected }), summary: 'auto' })
    t.match(warnings, /^reasoning\.effort: /)
    t.match(response, { reasoning: { effort: asked, summary: 'auto' } }, 'the echo is what was asked')
  }
  for (const asked of efforts) {
    const { request, warnings } = await lowered({ efforts }, { reasoning: { effort: asked } })
    t.same([request!.reasoning, warnings], [{ effort: asked }, null], 'a supported one stays')
    t.same((await lowered({}, { reasoning: { effort: asked } })).warnings, null, 'what is unknown is tried')
  }
})

t.test('parameters that a model cannot take are dropped or reduced, with a warning', async t => {
  const body = {
    temperature: 0.5,
    top_p: 0.5,
    top_logprobs: 3,
    parallel_tool_calls: false,
    text: { verbosity: 'low' },
    max_output_tokens: 5_000,
  }
  const { request, warnings } = await lowered({ temperature: false, logprobs: false, parallelTools: false, verbosity: false }, body, {
    maxOutputTokens: 4_096,
  })
  for (const gone of ['temperature', 'top_p', 'top_logprobs', 'parallel_tool_calls']) t.notOk(gone in request!, gone)
  t.same(request!.text, {})
  t.equal(request!.max_output_tokens, 4_096)
  for (const param of Object.keys(body)) t.match(warnings, param, `${param} is named`)
  const able = await lowered({}, body, { maxOutputTokens: 5_000 })
  t.match(able.request, body)
  t.equal(able.warnings, null)
})

t.test('built-in tools that cannot run are left out, unless the choice forces them', async t => {
  const own = { type: 'function', name: 'f' }
  const tools = [own, { type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }]
  const { request, warnings, response } = await lowered({}, { tools })
  t.same(
    request!.tools!.map(({ type }) => type),
    ['function'],
  )
  t.match(warnings, /tools: web_search .*tools: code_interpreter /)
  t.equal((response!['tools'] as unknown[]).length, 3, 'the echo is what was sent')
  for (const choice of [{ type: 'web_search' }, { type: 'code_interpreter' }]) {
    const forced = await lowered({}, { tools, tool_choice: choice })
    t.equal(forced.status, 400)
    t.match(forced.error, { type: 'invalid_request_error', param: 'tool_choice' })
    t.equal(forced.request, undefined)
  }
  t.equal((await lowered({}, { tools: [{ type: 'web_search' }], tool_choice: 'required' })).status, 400, 'nothing is left to call')
  t.equal((await lowered({}, { tools, tool_choice: 'required' })).status, 200, 'the function is')
  t.equal((await lowered({}, { tools: [{ type: 'web_search' }], tool_choice: 'auto' })).status, 200)
  const native = await lowered({ builtInTools: true }, { tools, tool_choice: { type: 'web_search' } })
  t.equal(native.request!.tools!.length, 3, 'an endpoint that runs them gets them')
})

t.test("the gateway's own affairs never reach a provider", async t => {
  const { request } = await lowered(
    {},
    {
      background: false,
      conversation: { id: 'conv_1' },
      metadata: { customer: 'jane@example.com' },
      prompt: { id: 'p', version: '1', variables: {} },
      routing: { model: { sort: 'cost' } },
      safety_identifier: 'someone',
      store: true,
      stream_options: { include_obfuscation: true },
      user: 'jane@example.com',
      prompt_cache_key: 'jane-thread-7',
    },
  )
  const text = JSON.stringify(request)
  for (const field of [
    'background',
    'conversation',
    'metadata',
    'prompt',
    'routing',
    'safety_identifier',
    'store',
    'stream_options',
    'user',
  ])
    t.notOk(field in request!, field)
  t.notMatch(text, /jane/, 'nor who asked')
})

t.test("the cache key is the gateway's own: stable, of one owner, and telling nothing", async t => {
  const acme = witness('acme', () => hello)
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const keyOf = async (body: object, headers?: Record<string, string>): Promise<string> => {
    t.equal((await ask(under, { model: 'acme/m', ...body }, headers)).status, 200)
    return acme.calls.at(-1)!.request.prompt_cache_key!
  }
  const as = async (settings: Parameters<typeof under.gateway.issueKey>[0]) => ({
    authorization: `Bearer ${await under.gateway.issueKey(settings)}`,
  })
  const thread = await keyOf({ prompt_cache_key: 'thread-7' })
  t.ok(thread.length >= 16 && thread.length <= 64, 'of a length that vendors take')
  t.notMatch(thread, 'thread')
  t.equal(await keyOf({ prompt_cache_key: 'thread-7' }), thread)
  t.equal(await keyOf({ prompt_cache_key: 'thread-7', stream: true }), thread)
  t.not(await keyOf({ prompt_cache_key: 'thread-8' }), thread)
  t.equal(await keyOf({ user: 'thread-7' }), thread, 'user stands in for it')
  const none = await keyOf({})
  t.equal(await keyOf({ prompt_cache_key: null }), none, 'without one, the API key does')
  t.not(await keyOf({}, await as({ name: 'other' })), none)
  t.not(await keyOf({ prompt_cache_key: 'thread-7' }, await as({ name: 'other', org: 'globex' })), thread, "another owner's is another")
  t.notMatch(none, under.apiKey.split('_')[1]!)
})

t.test('unknown fields are kept apart, and go nowhere while a guardrail reads the input or the answer', async t => {
  const acme = witness('acme', () => hello)
  const body = { model: 'acme/m', client_metadata: { note: 'call jane@example.com' } }
  for (const [session, expected] of [
    [undefined, { dialect: 'openai-responses', fields: { client_metadata: body.client_metadata } }],
    [{ output: () => undefined }, undefined],
    [{ input: () => ({ pass: true }) as const }, undefined],
  ] as const) {
    const under = await gateway({ plugins: [acme.plugin, guarding(session)] })
    t.equal((await ask(under, body)).status, 200)
    const { request } = acme.calls.pop()!
    t.notOk('client_metadata' in request)
    if (expected) t.match(request.extra, expected)
    else t.notMatch(JSON.stringify(request), 'jane', 'nobody could have checked them')
    await under.stop()
  }
})

const opaque = 'sig+/=\u0000\u{1f512} byte-exact'
const thinking: readonly GenerationEvent[] = [
  { type: 'reasoning', form: 'summary', text: 'Hm.' },
  { type: 'reasoning-state', opaque },
  text('Hello'),
  { type: 'compaction', opaque: 'compact-state' },
  stop,
]
const include = ['reasoning.encrypted_content']

t.test('state goes out sealed, and back byte-exact to where it came from and nowhere else', async t => {
  const acme = witness('acme', () => thinking)
  const globex = witness('globex', () => hello)
  const under = await gateway({ plugins: [acme.plugin, globex.plugin] })
  t.teardown(under.stop)
  const { response } = await ask(under, { model: 'acme/m', include })
  const streamed = await ask(under, { model: 'acme/m', include, stream: true })
  for (const { output } of [response, streamed.response]) {
    const [state] = output
    t.equal(state!['type'], 'reasoning')
    t.type(state!['encrypted_content'], 'string')
    const clear = Buffer.from(String(state!['encrypted_content']), 'base64url').toString('latin1')
    t.notMatch(JSON.stringify(output) + clear, /byte-exact|compact-state/, 'nobody reads it on the way')
  }
  const replay = async (model: string, output: readonly object[], headers?: Record<string, string>) => {
    const question = { role: 'user', content: 'And now?' }
    const reply = await ask(under, { model, input: [{ role: 'user', content: 'hi' }, ...output, question] }, headers)
    t.equal(reply.status, 200)
    const items = (model.startsWith('acme') ? acme : globex).calls.at(-1)!.request.input
    const of = (type: Item['type']) => items.find(item => item.type === type) as Record<string, unknown> | undefined
    return { warnings: reply.headers.get('x-gateway-warnings'), reasoning: of('reasoning'), compaction: of('compaction'), items }
  }
  const home = await replay('acme/m', response.output)
  t.match(home, { warnings: null, reasoning: { encrypted_content: opaque }, compaction: { encrypted_content: 'compact-state' } })
  const elsewhere: Record<string, Awaited<ReturnType<typeof replay>>> = {
    'another model': await replay('acme/other', response.output),
    'another provider': await replay('globex/m', response.output),
    'another organization': await replay('acme/m', response.output, {
      authorization: `Bearer ${await under.gateway.issueKey({ name: 'foreign', org: 'globex' })}`,
    }),
    'changed bytes': await replay(
      'acme/m',
      response.output.map(item =>
        'encrypted_content' in item ? { ...item, encrypted_content: `${String(item['encrypted_content']).slice(0, -6)}AAAAAA` } : item,
      ),
    ),
    'made up': await replay('acme/m', [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: opaque },
    ]),
  }
  for (const [name, { warnings, reasoning, compaction, items }] of Object.entries(elsewhere)) {
    t.match(warnings, /^input: /, name)
    t.match(reasoning, { summary: [{ text: 'Hm.' }] }, 'what can be read stays')
    t.notOk('encrypted_content' in reasoning!, 'the state is dropped')
    t.equal(compaction, undefined)
    t.notMatch(JSON.stringify(items), /tps1\.|compact-state/)
  }
})

t.test('state belongs to the account: a reply that pauses goes on with the same key', async t => {
  const credentials = ['one', 'two'].map(id => ({ id, account: `account-${id}` }))
  const acme = witness(
    'acme',
    (_, count) =>
      count % 2 === 1
        ? [
            { type: 'reasoning', form: 'full', text: 'Hm.' },
            { type: 'reasoning-state', opaque },
            { type: 'finish', reason: 'pause' },
          ]
        : [text('Hello'), stop],
    { credentials },
  )
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  for (const first of ['one', 'two']) {
    t.equal((await ask(under, { model: 'acme/m' })).status, 200)
    const [asked, again] = acme.calls.splice(0)
    t.ok(
      credentials.some(({ id }) => id === asked!.credentialId),
      `${first} or the other`,
    )
    t.equal(again!.credentialId, asked!.credentialId)
    t.match(again!.request.input.at(-1), { type: 'reasoning', encrypted_content: opaque })
  }
})

t.test('state that a client sends back goes to the key of its account, whose turn it is not', async t => {
  const credentials = ['one', 'two', 'three'].map(id => ({ id, account: `account-${id}` }))
  const acme = witness(
    'acme',
    () => [{ type: 'reasoning', form: 'full', text: 'Hm.' }, { type: 'reasoning-state', opaque }, text('Hello'), stop],
    { credentials },
  )
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const include = ['reasoning.encrypted_content']
  const { response } = await ask(under, { model: 'acme/m', include })
  const [first] = acme.calls.splice(0)
  for (let turn = 0; turn < 4; turn++) {
    const input = [{ role: 'user', content: 'Why?' }, ...(response.output as object[]), { role: 'user', content: 'And now?' }]
    t.equal((await ask(under, { model: 'acme/m', input })).status, 200)
    const [again] = acme.calls.splice(0)
    t.equal(again!.credentialId, first!.credentialId)
    t.match(again!.request.input[1], { type: 'reasoning', encrypted_content: opaque })
  }
})

t.test('a provider says of each format whether it can enforce it; else the model is told, and its answer checked', async t => {
  const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } }, required: ['children'] }
  const format = (schema: object): object => ({ type: 'json_schema', name: 'demo', schema })
  const acme = witness('acme', () => [text('{"name":"Ada"}'), stop], {
    enforcesFormat: format => format.type === 'json_schema' && !JSON.stringify(format.schema).includes('$ref'),
  })
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const able = await ask(under, { model: 'acme/m', text: { format: format(person) } })
  t.match(acme.calls.at(-1)!.request, { text: { format: { type: 'json_schema' } }, input: { length: 1 } })
  t.equal(able.headers.get('x-gateway-warnings'), null)
  const told = await ask(under, { model: 'acme/m', text: { format: { type: 'json_object' } } })
  t.equal(told.status, 200)
  t.match(told.headers.get('x-gateway-warnings'), /^text\.format: /)
  t.notOk(acme.calls.at(-1)!.request.text?.format)
  const wrong = await ask(under, { model: 'acme/m', text: { format: format(tree) } })
  t.match(JSON.stringify(acme.calls.at(-1)!.request.input), /JSON Schema.*children/, 'the schema is in the conversation')
  t.not(wrong.status, 200, 'an answer that is no such thing is none')
})

t.test('a fast tier is one of priority, and no faster tier passes a spend cap', async t => {
  for (const [key, tier, passed, isLeftOut] of [
    [{}, 'fast', 'priority', false],
    [{}, 'ultrafast', 'ultrafast', false],
    [{}, 'flex', 'flex', false],
    [{ spendCapUsd: 1 }, 'fast', undefined, true],
    [{ spendCapUsd: 1 }, 'ultrafast', undefined, true],
    [{ spendCapUsd: 1 }, 'flex', 'flex', false],
  ] as const) {
    const acme = witness('acme', () => hello)
    const prices = { endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] }
    const under = await gateway({ plugins: [acme.plugin, listing({ model: 'm', ...prices })], key: { name: 'k', ...key } })
    const reply = await ask(under, { model: 'm', input: 'hi', service_tier: tier })
    await under.stop()
    t.equal(acme.calls[0]!.request.service_tier, passed, tier)
    t.equal(reply.response['service_tier'], tier, 'as sent')
    t.equal(reply.headers.get('x-gateway-warnings')!.includes('its price is unknown'), isLeftOut)
  }
})
