import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import type { PluginUse } from '../../../../core/framework/plugin.ts'
import { fakeUpstream, type FakeReply, type ReceivedRequest } from '../../../../core/testing/index.ts'
import chat from '../../../../plugins/endpoints/chat/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import { gateway, type GatewayUnderTest } from '../../../kit/gateway.ts'
import { guarding } from '../../../kit/stage.ts'
import { askChat } from './stage.ts'

interface Stage {
  readonly under: GatewayUnderTest
  readonly asked: ReceivedRequest[]
}

/** A gateway before a host that answers with this completion, whole or as a stream. */
async function stage(
  t: { teardown(fn: () => unknown): void },
  completion: JsonObject,
  plugins: readonly PluginUse[] = [],
  host = 'openrouter',
): Promise<Stage> {
  const asked: ReceivedRequest[] = []
  const vendor = await fakeUpstream(request => {
    asked.push(request)
    return (request.body as JsonObject)['stream'] ? streamed(completion) : whole(completion)
  })
  t.teardown(() => vendor.close())
  const provider = openaiChat({ id: 'acme', host: host as 'openrouter', baseUrl: vendor.url, apiKey: 'sk-demo-1' })
  const under = await gateway({ plugins: [chat({}), provider, ...plugins] })
  t.teardown(under.stop)
  return { under, asked }
}

function whole(completion: JsonObject): FakeReply {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(completion) }
}

/** One chunk with everything, then the end. */
function streamed({ choices, usage, ...facts }: JsonObject): FakeReply {
  const [{ message, finish_reason, ...choice }] = choices as readonly [{ message: JsonObject; finish_reason: string } & JsonObject]
  const calls = message['tool_calls'] as readonly JsonObject[] | undefined
  const delta = { ...message, ...(calls && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) }
  const chunks = [
    { ...facts, object: 'chat.completion.chunk', choices: [{ ...choice, delta, finish_reason: null }] },
    {
      ...facts,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, finish_reason, native_finish_reason: choice['native_finish_reason'] }],
    },
    { ...facts, object: 'chat.completion.chunk', choices: [], usage },
  ]
  const body = chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('')
  return { headers: { 'content-type': 'text/event-stream' }, body: `${body}data: [DONE]\n\n` }
}

const completion: JsonObject = {
  id: 'gen-vendor',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  provider: 'Acme',
  system_fingerprint: 'fp_1',
  service_tier: 'default',
  citations: ['https://example.com/a'],
  choices: [
    {
      index: 0,
      native_finish_reason: 'completed',
      content_filter_results: { hate: { filtered: false } },
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Hello',
        refusal: null,
        reasoning: 'Hm.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.', signature: 'c2VjcmV0', format: 'anthropic-claude-v1', index: 0 },
          { type: 'reasoning.encrypted', data: 'aGlkZGVu', format: 'anthropic-claude-v1', index: 1 },
        ],
        audio: { id: 'audio_1', data: 'AAAA', transcript: 'Hello', expires_at: 9 },
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"x": 1.0}' }, extra_content: { note: 'kept' } },
        ],
      },
    },
  ],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 20,
    total_tokens: 30,
    prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 5, accepted_prediction_tokens: 2 },
    cost: 0.01,
  },
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]

for (const stream of [false, true])
  t.test(`an answer of the same API passes whole (${stream ? 'streamed' : 'whole'})`, async t => {
    const { under } = await stage(t, completion)
    const reply = await askChat(under, { model: 'acme/m', tools, stream, ...(stream && { stream_options: { include_usage: true } }) })
    t.match(reply.body, {
      provider: 'Acme',
      system_fingerprint: 'fp_1',
      service_tier: 'default',
      citations: ['https://example.com/a'],
      usage: completion['usage'] as JsonObject,
    })
    t.ok('cost_usd' in reply.body.usage)
    const [choice] = reply.body.choices as unknown as readonly [JsonObject & { message: JsonObject }]
    t.match(choice, {
      native_finish_reason: 'completed',
      content_filter_results: { hate: { filtered: false } },
      finish_reason: 'tool_calls',
    })
    const { message } = choice
    t.match(message, { content: 'Hello', reasoning: 'Hm.', reasoning_content: 'Hm.' })
    const [sent] = completion['choices'] as readonly [{ message: JsonObject }]
    for (const member of ['audio', 'images', 'tool_calls']) t.same(message[member], sent.message[member], member)
    t.notMatch(JSON.stringify(reply.body), /c2VjcmV0|aGlkZGVu/, 'state leaves the gateway sealed')
    t.match(message['reasoning_details'], [
      { type: 'reasoning.text', text: 'Hm.', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: /^tps1\./ },
    ])
  })

for (const [usage, expected] of [
  ['many', {}],
  [[5], {}],
  [
    {
      prompt_tokens: -5,
      completion_tokens: '3',
      total_tokens: 1.5,
      prompt_tokens_details: { cached_tokens: -1, audio_tokens: 2 },
      note: 'x',
    },
    { prompt_tokens_details: { audio_tokens: 2 }, note: 'x' },
  ],
] as const)
  t.test(`a usage that counts nothing is the gateway's: ${JSON.stringify(usage)}`, async t => {
    const { under } = await stage(t, { ...completion, usage: usage as never })
    const {
      cost_usd: cost,
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: total,
      ...others
    } = (await askChat(under, { model: 'acme/m' })).body.usage
    t.equal(cost, null)
    t.ok(Number(input) > 0)
    t.equal(Number(input) + Number(output), total)
    t.match(others, expected)
    t.notMatch(Object.keys(others), ['0'])
    t.notMatch(others, { prompt_tokens_details: { cached_tokens: -1 } })
  })

t.test("no key and no account of the operator's is in an answer", async t => {
  const { under } = await stage(t, {
    ...completion,
    organization: 'org-Demo1234567',
    note: 'key sk-demo-1',
    links: ['https://example.com/projects/1234567'],
  })
  const { body } = await askChat(under, { model: 'acme/m' })
  t.match(body, { organization: 'org-***', note: 'key ***', links: ['https://example.com/projects/1234567'] })
})

t.test('the answer comes back to the vendor as it left it', async t => {
  const { under, asked } = await stage(t, completion)
  const first = await askChat(under, { model: 'acme/m', tools })
  const { message } = first.body.choices[0]!
  await askChat(under, {
    model: 'acme/m',
    tools,
    messages: [{ role: 'user', content: 'hi' }, message, { role: 'tool', tool_call_id: 'call_1', content: 'sun' }],
  })
  const [, sent] = (asked[1]!.body as { messages: readonly JsonObject[] }).messages
  const [{ message: said }] = completion['choices'] as readonly [{ message: JsonObject }]
  t.match(sent, {
    role: 'assistant',
    content: 'Hello',
    reasoning_details: said['reasoning_details'] as JsonObject[],
    audio: said['audio'] as JsonObject,
    tool_calls: said['tool_calls'] as JsonObject[],
  })
})

t.test('state that was changed is dropped with a warning', async t => {
  const { under, asked } = await stage(t, completion)
  const first = await askChat(under, { model: 'acme/m', tools })
  const { message } = first.body.choices[0]!
  const details = (message['reasoning_details'] as readonly JsonObject[]).map(each =>
    'data' in each ? { ...each, data: `${String(each['data']).slice(0, -4)}AAAA` } : each,
  )
  const reply = await askChat(under, {
    model: 'acme/m',
    tools,
    messages: [
      { role: 'user', content: 'hi' },
      { ...message, reasoning_details: details },
      { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
    ],
  })
  t.match(reply.headers.get('x-gateway-warnings'), /state from another provider/)
  t.notMatch(JSON.stringify(asked[1]!.body), /tps1|c2VjcmV0/)
})

t.test('a request of the same API passes whole', async t => {
  const { under, asked } = await stage(t, completion)
  const members = {
    prediction: { type: 'content', content: 'hi' },
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'wav' },
    min_p: 0.1,
    provider: { order: ['acme'] },
    reasoning: { effort: 'low', exclude: false },
  }
  await askChat(under, {
    model: 'acme/m',
    ...members,
    tools: [
      { type: 'openrouter:datetime' },
      { type: 'function', function: { name: 'look', parameters: { type: 'object' }, output_schema: { a: 1 } }, defer: true },
    ],
    messages: [
      {
        role: 'user',
        name: 'ada',
        content: [
          { type: 'text', text: 'hi', note: 1 },
          { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
        ],
      },
    ],
  })
  const body = asked[0]!.body as JsonObject
  t.match(body, members)
  t.match(body['messages'], [
    {
      role: 'user',
      name: 'ada',
      content: [
        { type: 'text', text: 'hi', note: 1 },
        { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
      ],
    },
  ])
  t.match(body['tools'], [
    { type: 'function', function: { name: 'look', output_schema: { a: 1 } }, defer: true },
    { type: 'openrouter:datetime' },
  ])
})

t.test('nothing passes a guardrail that reads content or answers', async t => {
  for (const session of [
    { input: () => ({ pass: true }) as const },
    { output: () => ({ push: (piece: string) => piece, flush: () => '' }) },
  ]) {
    const { under, asked } = await stage(t, completion, [guarding(session as never)])
    const reply = await askChat(under, { model: 'acme/m', tools, min_p: 0.1, prediction: { type: 'content', content: 'hi' } })
    t.equal(reply.status, 200)
    t.notMatch(JSON.stringify(asked[0]!.body), /min_p|prediction/)
    t.notMatch(JSON.stringify(reply.body), /Acme|fp_1|audio_1|image_url/)
  }
})

t.test('a reply that cannot be read passes no guardrail that reads answers', async t => {
  for (const guarded of [true, false]) {
    const plugins = guarded ? [guarding({ output: () => undefined })] : []
    const vendor = await fakeUpstream(() => ({ headers: { 'content-type': 'application/json' }, body: 'the bluebird answer' }))
    t.teardown(() => vendor.close())
    const provider = openaiChat({ id: 'acme', host: 'openrouter', baseUrl: vendor.url, apiKey: 'sk-demo-1' })
    const under = await gateway({ plugins: [chat({}), provider, ...plugins] })
    t.teardown(under.stop)
    const { status, body } = await askChat(under, { model: 'acme/m' })
    t.equal(status, 503)
    t.equal(body.error['upstream_error'], guarded ? undefined : 'the bluebird answer')
    t.match(body.error['message'], /not JSON/)
  }
})

t.test("the operator turns the vendor's tools off", async t => {
  const asked: ReceivedRequest[] = []
  const vendor = await fakeUpstream(request => {
    asked.push(request)
    return whole(completion)
  })
  t.teardown(() => vendor.close())
  const provider = openaiChat({ id: 'acme', host: 'openrouter', baseUrl: vendor.url, apiKey: 'sk-demo-1' })
  const under = await gateway({ plugins: [chat({ vendorTools: ['kept:*'] }), provider] })
  t.teardown(under.stop)
  const reply = await askChat(under, { model: 'acme/m', tools: [{ type: 'openrouter:datetime' }, { type: 'kept:tool' }] })
  t.same((asked[0]!.body as JsonObject)['tools'], [{ type: 'kept:tool' }])
  t.match(reply.headers.get('x-gateway-warnings'), /openrouter:datetime.*turned it off/)
})
