import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { ProviderFailure, type JsonObject } from '../../../core/index.ts'
import { ApiKeys, type UpstreamRequestBody } from '../../../core/kit.ts'
import { fakeUpstream, providerCall, providerSuite, readEvents, replay, sseFrame } from '../../../core/testing/index.ts'
import { chatAdapter } from '../../../dialects/index.ts'
import { mistralHost, safeguarded } from '../../../plugins/providers/mistral/host.ts'
import mistral from '../../../plugins/providers/mistral/index.ts'
import { gateway } from '../../kit/gateway.ts'

const keys = new ApiKeys('sk-demo-mistral')
const guardrails = [{ block_on_error: true, moderation_llm_v2: { action: 'block' } }]
const plain = chatAdapter(mistralHost, { baseUrl: 'https://api.example.com/v1/', keys })
const guarded = chatAdapter(
  { ...mistralHost, ...safeguarded({ safePrompt: true, guardrails }) },
  { baseUrl: 'https://api.example.com/v1', keys },
)

function sent(request: UpstreamRequestBody, adapter = plain): JsonObject {
  return JSON.parse(String(adapter.prepare(providerCall(request, { endpoint: { upstreamModel: 'demo' } })).body)) as JsonObject
}

function asking(...content: readonly JsonObject[]): UpstreamRequestBody {
  return { model: 'demo', input: [{ type: 'message', role: 'user', content }] } as unknown as UpstreamRequestBody
}

const hello = asking({ type: 'input_text', text: 'Hello' })

t.test('attachments of a user', async t => {
  const table: readonly (readonly [part: JsonObject, sent: JsonObject])[] = [
    [
      { type: 'input_file', filename: 'a.pdf', file_url: 'https://example.com/a.pdf' },
      { type: 'document_url', document_url: 'https://example.com/a.pdf', document_name: 'a.pdf' },
    ],
    [
      { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'document_url', document_url: 'data:application/pdf;base64,JVBERi0=' },
    ],
    [
      { type: 'input_file', file_id: '496b17c2-8a5e-4b1c-9d57-0f5c1f0e2d3a' },
      { type: 'file', file_id: '496b17c2-8a5e-4b1c-9d57-0f5c1f0e2d3a' },
    ],
    [
      { type: 'input_file', filename: 'a.mp3', file_data: 'data:audio/mpeg;base64,//NkxA==' },
      { type: 'input_audio', input_audio: '//NkxA==' },
    ],
    [
      { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'original' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'high' } },
    ],
  ]
  for (const [part, expected] of table) {
    const { messages } = sent(asking({ type: 'input_text', text: 'What is it?' }, part))
    t.strictSame(messages, [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, expected] }])
  }
})

t.test('the operator’s settings are part of every request', async t => {
  t.match(sent(hello, guarded), { safe_prompt: true, guardrails })
  t.notOk('safe_prompt' in sent(hello) || 'guardrails' in sent(hello))
  const { seed, random_seed } = sent({ ...hello, seed: 7 })
  t.strictSame({ seed, random_seed }, { seed: undefined, random_seed: 7 }, 'the vendor rejects `seed`')
})

const schemaFile = resolve(import.meta.dirname, '../../../../shared/wire-schemas/mistral.chat.openapi.json')

t.test(
  'every request is one that the vendor publishes',
  { skip: !existsSync(schemaFile) && `no vendor schema at ${schemaFile}` },
  async t => {
    const { components } = JSON.parse(readFileSync(schemaFile, 'utf8')) as { readonly components: { readonly schemas: JsonObject } }
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    ajv.addSchema({ $id: 'mistral', components } as object)
    const validate = ajv.getSchema('mistral#/components/schemas/ChatCompletionRequest')!
    const problems = (body: unknown): readonly unknown[] => (validate(body) ? [] : validate.errors!)
    t.not(problems({ model: 'demo', messages: [], store: false }).length, 0, 'the schema refuses what it does not know')
    const folder = join(import.meta.dirname, '../../fixtures/openai-chat/bodies')
    const fixtures = readdirSync(folder).map(file => {
      const { request } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly request: UpstreamRequestBody }
      return [file, request] as const
    })
    const attached = asking(
      { type: 'input_file', file_id: '496b17c2-8a5e-4b1c-9d57-0f5c1f0e2d3a' },
      { type: 'input_file', filename: 'a.wav', file_data: 'data:audio/wav;base64,UklGRg==' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
    )
    const thoughtful: UpstreamRequestBody = { ...hello, reasoning: { effort: 'high' }, prompt_cache_key: 'demo', stream: true }
    for (const [name, request] of [...fixtures, ['attached', attached] as const, ['thoughtful', thoughtful] as const]) {
      // The gateway changes these before they get here, because only other hosts understand them.
      if (/^(extra-of-this-dialect|custom-tool|tool-choice-allowed)/.test(name)) continue
      const effort = request.reasoning?.effort === undefined ? {} : { reasoning: { ...request.reasoning, effort: 'high' as const } }
      t.strictSame(problems(sent({ ...request, ...effort }, guarded)), [], name)
    }
  },
)

t.test('efforts become the two that the vendor knows', async t => {
  await using upstream = await fakeUpstream(() => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] }),
  }))
  const under = await gateway({ plugins: [mistral({ baseUrl: upstream.url, apiKey: 'sk-demo-mistral' })] })
  t.teardown(() => under.stop())
  for (const [asked, effort] of [
    ['none', 'none'],
    ['minimal', 'high'],
    ['medium', 'high'],
    ['max', 'high'],
  ] as const) {
    const reply = await under.request('/v1/responses', { body: { model: 'mistral/demo', input: 'Hi', reasoning: { effort: asked } } })
    t.equal(reply.status, 200)
    t.match(upstream.requests.at(-1), { url: '/chat/completions', headers: { authorization: 'Bearer sk-demo-mistral' } })
    t.equal((upstream.requests.at(-1)!.body as JsonObject)['reasoning_effort'], effort, asked)
  }
})

t.test('thoughts come as parts, and go back as they were said', async t => {
  const chunk = (content: unknown, more: object = {}): string =>
    sseFrame({ model: 'demo', p: 'abc', choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }] })
  const thought = (text: string): JsonObject => ({ type: 'thinking', thinking: [{ type: 'text', text }], closed: false })
  const cited = [
    { type: 'text', text: 'It is' },
    { type: 'reference', reference_ids: [1] },
    { type: 'text', text: ' four' },
  ]
  const body = `${chunk('')}${chunk([thought('Two and ')])}${chunk([thought('two.')])}${chunk(cited)}${chunk('.', { finish_reason: 'stop' })}${sseFrame('[DONE]')}`
  await using upstream = await fakeUpstream(() => ({ headers: { 'content-type': 'text/event-stream' }, body }))
  const under = await gateway({ plugins: [mistral({ baseUrl: upstream.url, apiKey: 'sk-demo-mistral' })] })
  t.teardown(() => under.stop())
  const first = await under.request('/v1/responses', { body: { model: 'mistral/demo', input: '2+2?', stream: true } })
  const { response } = readEvents(await first.text()).at(-1) as unknown as { readonly response: { readonly output: readonly JsonObject[] } }
  t.match(response.output, [
    { type: 'reasoning', content: [{ text: 'Two and two.' }] },
    { type: 'message', content: [{ text: 'It is four.' }] },
  ])
  const input = [{ role: 'user', content: '2+2?' }, ...response.output, { role: 'user', content: 'Sure?' }]
  await (await under.request('/v1/responses', { body: { model: 'mistral/demo', input, stream: true } })).text()
  t.strictSame((upstream.requests[1]!.body as JsonObject)['messages'], [
    { role: 'user', content: '2+2?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Two and two.' }] },
        { type: 'text', text: 'It is four.' },
      ],
    },
    { role: 'user', content: 'Sure?' },
  ])
})

t.test('the suite of every provider', async t => {
  const call = { id: 'Ab3dEf6hI', function: { name: 'weather', arguments: '{}' } }
  providerSuite(t, {
    adapter: guarded,
    secrets: ['sk-demo-mistral'],
    credentialId: keys.credentials![0]!.id,
    examples: [
      {
        name: 'calls without index and type',
        request: hello,
        stream: {
          body: `${sseFrame({ model: 'demo', choices: [{ index: 0, delta: { content: '', tool_calls: [call] }, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })}${sseFrame('[DONE]')}`,
          events: [
            { type: 'model', model: 'demo' },
            { type: 'tool-call', key: '0', callId: 'Ab3dEf6hI', name: 'weather' },
            { type: 'tool-input', key: '0', text: '{}' },
            { type: 'usage', usage: { uncachedInput: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0 } },
            { type: 'finish', reason: 'tool-calls' },
          ],
        },
      },
    ],
    failures: [
      {
        status: 400,
        body: '{"object":"error","message":"Logprobs are not enabled for this model","type":"invalid_request_invalid_args","param":null,"code":"3051","raw_status_code":400}',
        kind: 'invalid-request',
      },
      {
        status: 400,
        body: '{"object":"error","message":"Invalid model: none","type":"invalid_model","param":null,"code":"1500"}',
        kind: 'not-found',
      },
      { status: 401, body: '{"detail":"Invalid API Key"}', kind: 'auth' },
      { status: 401, body: '{"message":"No API key found in request","request_id":"x"}', kind: 'auth' },
      {
        status: 403,
        body: '{"object":"error","message":"Request blocked by guardrail","type":"guardrail_violation","code":"4003"}',
        kind: 'refused',
      },
      {
        status: 422,
        body: '{"detail":[{"loc":["body","temperature"],"msg":"Input should be less than or equal to 1.5"}]}',
        kind: 'invalid-request',
      },
      {
        status: 429,
        body: '{"object":"error","message":"Requests rate limit exceeded","type":"rate_limited","code":"1300"}',
        kind: 'rate-limit',
      },
      {
        status: 400,
        body: '{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length","code":"3051"}',
        kind: 'context-length',
      },
    ],
  })
  const { failure } = await replay(guarded, providerCall({ ...hello, stream: true }), {
    pieces: [Buffer.from(sseFrame({ object: 'error', message: 'Service unavailable', type: 'internal_server_error', code: '3000' }))],
  })
  t.ok(ProviderFailure.is(failure))
})
