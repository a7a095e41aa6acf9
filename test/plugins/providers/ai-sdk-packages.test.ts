import * as openaiV4 from '@ai-sdk/openai'
import * as groqV4 from '@ai-sdk/groq'
import * as anthropicV2 from 'ai-sdk-anthropic-v2'
import * as groqV2 from 'ai-sdk-groq-v2'
import * as groqV3 from 'ai-sdk-groq-v3'
import t from 'tap'
import type { JsonObject, PluginUse } from '../../../core/index.ts'
import {
  checkEvents,
  checkResponse,
  cut,
  fakeUpstream,
  readEvents,
  reset,
  sseFrame,
  stall,
  type FakeReply,
  type ReceivedRequest,
} from '../../../core/testing/index.ts'
import aiSdk from '../../../plugins/providers/ai-sdk/index.ts'
import anthropic from '../../../plugins/providers/anthropic/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../plugins/providers/openai-responses/index.ts'
import { gateway, listeningGateway } from '../../kit/gateway.ts'
import { readPublicDeltas, readPublicResponse } from './recordings/public-reading.ts'
import { anthropicReply, chatReply, responsesReply } from '../../kit/vendor-replies.ts'

// Compares real packages of all three versions with the plugin for the same wire, against a fake vendor.

const apiKey = 'sk-demo-bridge-1'
type Answer = FakeReply | ((request: ReceivedRequest) => FakeReply)
let answer: Answer = {}
const upstream = await fakeUpstream(request => (typeof answer === 'function' ? answer(request) : answer))
t.teardown(() => upstream.close())

interface Bridged {
  readonly id: string
  readonly version: string
  readonly plugin: PluginUse
  readonly native: string
  readonly reply: (request: ReceivedRequest) => FakeReply
  readonly model: string
}

const base = (id: string): { id: string; apiKey: string; baseUrl: string } => ({ id, apiKey, baseUrl: `${upstream.url}/${id}` })
const groq = { native: 'groq', reply: groqReply, model: 'demo-model' }
const bridges: readonly Bridged[] = [
  { id: 'groq-v2', version: 'v2', plugin: aiSdk({ ...base('groq-v2'), package: 'ai-sdk-groq-v2' }), ...groq },
  { id: 'groq-v3', version: 'v3', plugin: aiSdk({ ...base('groq-v3'), package: 'ai-sdk-groq-v3' }), ...groq },
  { id: 'groq-v4', version: 'v4', plugin: aiSdk({ ...base('groq-v4'), package: '@ai-sdk/groq' }), ...groq },
  {
    id: 'anthropic-v2',
    version: 'v2',
    plugin: aiSdk({
      ...base('anthropic-v2'),
      package: 'ai-sdk-anthropic-v2',
      providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
    }),
    native: 'anthropic',
    reply: anthropicReply,
    model: 'claude-sonnet-4-5',
  },
  {
    id: 'openai-chat-v4',
    version: 'v4',
    plugin: aiSdk({ ...base('openai-chat-v4'), package: '@ai-sdk/openai', method: 'chat' }),
    native: 'openai-chat',
    reply: chatReply,
    model: 'gpt-5-mini',
  },
  {
    id: 'openai-responses-v4',
    version: 'v4',
    plugin: aiSdk({ ...base('openai-responses-v4'), package: '@ai-sdk/openai', method: 'responses' }),
    native: 'openai-responses',
    reply: responsesReply,
    model: 'gpt-5-mini',
  },
]
const natives = [
  openaiChat({ ...base('groq'), host: 'groq' }),
  openaiChat({ ...base('openai-chat'), host: 'openai' }),
  anthropic(base('anthropic')),
  openaiResponses(base('openai-responses')),
]
const under = await gateway({ plugins: [...natives, ...bridges.map(({ plugin }) => plugin)] })
t.teardown(() => under.stop())

/** Groq reports the counts of a stream in a separate member. */
function groqReply(request: ReceivedRequest): FakeReply {
  const reply = chatReply(request)
  const { stream } = request.body as { stream?: boolean }
  return stream ? { ...reply, body: String(reply.body).replace(/"usage":(\{[^}]*\})/, '"x_groq":{"usage":$1}') } : reply
}

interface Said {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly response: JsonObject & { readonly output: readonly JsonObject[] }
}

async function ask(body: JsonObject): Promise<Said> {
  const reply = await under.request('/v1/responses', { body: { input: 'hi', include: ['reasoning.encrypted_content'], ...body } })
  const text = await reply.text()
  const streamed = reply.headers.get('content-type') === 'text/event-stream'
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    get response() {
      return (streamed ? checkEvents(readEvents(text)).response : checkResponse(JSON.parse(text))) as unknown as Said['response']
    },
  }
}

const lastBody = (): any => upstream.requests.at(-1)!.body
const weather = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }

t.test('the packages are of the versions that they stand for', async t => {
  for (const [name, model, version] of [
    ['ai-sdk-groq-v2', groqV2.createGroq({ apiKey })('any'), 'v2'],
    ['ai-sdk-groq-v3', groqV3.createGroq({ apiKey })('any'), 'v3'],
    ['@ai-sdk/groq', groqV4.createGroq({ apiKey })('any'), 'v4'],
    ['ai-sdk-anthropic-v2', anthropicV2.createAnthropic({ apiKey })('any'), 'v2'],
    ['@ai-sdk/openai chat', openaiV4.createOpenAI({ apiKey }).chat('any'), 'v4'],
    ['@ai-sdk/openai responses', openaiV4.createOpenAI({ apiKey }).responses('any'), 'v4'],
  ] as const)
    t.equal(model.specificationVersion, version, name)
})

for (const { id, version, native, reply, model } of bridges) {
  const name = `${id}/${model}`
  t.test(`${id} (${version})`, async t => {
    for (const stream of [true, false]) {
      answer = reply
      const both = async (body: JsonObject): Promise<readonly [Said, Said]> => [
        await ask({ model: name, stream, ...body }),
        await ask({ model: `${native}/${model}`, stream, ...body }),
      ]
      const [text, nativeText] = await both({})
      t.same(readPublicResponse(text.response), readPublicResponse(nativeText.response), 'text as the plugin of the wire tells it')
      t.equal(readPublicResponse(text.response).text, 'Hello to you')

      const [call, nativeCall] = await both({ tools: [weather], tool_choice: 'required' })
      t.same(readPublicResponse(call.response), readPublicResponse(nativeCall.response), 'a call too')
      const { call_id } = call.response.output.find(({ type }) => type === 'function_call') as { call_id: string }
      const history = [{ role: 'user', content: 'hi' }, ...call.response.output, { type: 'function_call_output', call_id, output: 'Sunny' }]
      const [after] = await both({ tools: [weather], input: history })
      t.equal(readPublicResponse(after.response).text, 'It is Sunny there.')
      t.match(JSON.stringify(upstream.requests.at(-2)!.body), call_id, 'the result names its call')
    }

    const failing = async (given: Answer, body: JsonObject = {}): Promise<readonly [status: number, error: any, said: Said]> => {
      answer = given
      const said = await ask({ model: name, ...body })
      t.notMatch(said.text, apiKey)
      return [said.status, JSON.parse(said.text).error, said]
    }
    const json = { 'content-type': 'application/json' }
    const vendorError = (message: string, type: string): string => JSON.stringify({ type: 'error', error: { message, type } })
    for (const stream of [true, false]) {
      const [bad, badError] = await failing(
        { status: 400, headers: json, body: vendorError('Bad parameter.', 'invalid_request_error') },
        { stream },
      )
      t.same([bad, badError.message], [400, 'Bad parameter.'])
      const [auth, authError] = await failing(
        { status: 401, headers: json, body: vendorError(`Wrong key ${apiKey}`, 'authentication_error') },
        { stream },
      )
      t.same([auth, authError.code], [424, 'provider_error'])
      t.match(authError.message, /refused the gateway's credentials/)
      const [limited, , said] = await failing(
        { status: 429, headers: { ...json, 'retry-after': '7' }, body: vendorError('Slow down.', 'rate_limit_error') },
        { stream },
      )
      t.same([limited, said.headers.get('retry-after')], [429, '7'])
      const [broken, brokenError] = await failing({ status: 500, headers: json, body: vendorError('Oh.', 'api_error') }, { stream })
      t.equal(broken, 424)
      t.match(brokenError.message, /^The provider "[\w-]+" failed: Oh\.$/)
      const [moved, movedError] = await failing({ status: 302, headers: { location: `${upstream.url}/elsewhere` }, body: '' }, { stream })
      t.same([moved, movedError.code], [424, 'provider_error'])
      t.notMatch(upstream.requests.at(-1)!.url, 'elsewhere', 'a redirect is not followed')
      const [html] = await failing({ headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' }, { stream })
      t.equal(html, 424, 'a page is no answer')
      const [empty] = await failing({ headers: json, body: '' }, { stream })
      t.equal(empty, 424, 'nothing is no answer')
    }

    const whole = String(reply({ body: { stream: true }, text: '' } as ReceivedRequest).body)
    const middle = whole.slice(0, whole.indexOf('\n\n', whole.indexOf('" to"')) + 2)
    for (const [what, end] of [
      ['cut', cut],
      ['reset', reset],
      ['ended', ''],
    ] as const) {
      answer = { headers: { 'content-type': 'text/event-stream' }, body: [middle, end] }
      const { text, response } = await ask({ model: name, stream: true })
      t.equal(response['status'], 'failed', `a stream that is ${what} in mid-answer is no success`)
      t.match(readPublicDeltas(readEvents(text)).text, /^Hello/, 'what came before is passed on')
    }
    const event = {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Too much.' },
      message: 'Too much.',
      code: null,
      param: null,
      sequence_number: 9,
    }
    answer = { headers: { 'content-type': 'text/event-stream' }, body: middle + sseFrame(event, 'error') }
    const inside = await ask({ model: name, stream: true })
    t.match(
      inside.response,
      { status: 'failed', error: { code: 'provider_error', message: 'Too much.' } },
      'nor is one with an error in it',
    )

    const format = {
      type: 'json_schema',
      name: 'demo',
      schema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    }
    answer = reply
    await ask({ model: name, text: { format } })
    t.match(JSON.stringify(lastBody()), '"a":{"type":"string"}', 'the schema reaches the vendor')
    await ask({ model: name, max_output_tokens: 77, temperature: 0 })
    t.match(JSON.stringify(lastBody()), /"max\w*tokens":(77|1101)/)
    t.equal(upstream.requests.at(-1)!.headers['x-api-key'] ?? upstream.requests.at(-1)!.headers.authorization?.slice(7), apiKey)
  })
}

t.test('a client that leaves ends the request to the vendor', async t => {
  const listening = await listeningGateway({ plugins: bridges.map(({ plugin }) => plugin) })
  t.teardown(() => listening.stop())
  for (const { id, reply, model } of bridges) {
    const whole = String(reply({ body: { stream: true }, text: '' } as ReceivedRequest).body)
    answer = { headers: { 'content-type': 'text/event-stream' }, body: [whole.slice(0, whole.indexOf('" to"')), stall] }
    const controller = new AbortController()
    const response = await fetch(`${listening.url}/v1/responses`, {
      method: 'POST',
      signal: controller.signal,
      headers: { authorization: `Bearer ${listening.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `${id}/${model}`, input: 'hi', stream: true }),
    })
    await response.body!.getReader().read()
    controller.abort()
    t.equal(await upstream.requests.at(-1)!.closed, 'early', id)
  }
})

t.test('signed thoughts of Anthropic go back as the plugin of the wire sends them', async t => {
  const signature = 'c2lnbmF0dXJl+/=='
  const blocks = [
    { type: 'thinking', thinking: 'Let me look it up.', signature },
    { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
    { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
  ]
  const usage = {
    input_tokens: 9,
    output_tokens: 4,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 2,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 2 },
  }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: blocks,
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage,
  }
  const event = (data: JsonObject): string => sseFrame(data, String(data['type']))
  const start = (index: number, content_block: JsonObject): string => event({ type: 'content_block_start', index, content_block })
  const delta = (index: number, value: JsonObject): string => event({ type: 'content_block_delta', index, delta: value })
  const stop = (index: number): string => event({ type: 'content_block_stop', index })
  const streamed = [
    event({ type: 'message_start', message: { ...message, content: [], stop_reason: null } }),
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
    delta(0, { type: 'thinking_delta', thinking: 'look it up.' }),
    delta(0, { type: 'signature_delta', signature }),
    stop(0),
    start(1, blocks[1]!),
    stop(1),
    start(2, { ...blocks[2], input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' }),
    stop(2),
    event({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 4 } }),
    event({ type: 'message_stop' }),
  ].join('')
  for (const stream of [true, false]) {
    const turns: unknown[] = []
    for (const provider of ['anthropic-v2', 'anthropic']) {
      answer = stream
        ? { headers: { 'content-type': 'text/event-stream' }, body: streamed }
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) }
      const model = `${provider}/claude-sonnet-4-5`
      const { response } = await ask({ model, stream, tools: [weather], reasoning: { effort: 'low' } })
      const { reasoning, usage: counts, toolCalls } = readPublicResponse(response)
      t.equal(reasoning, 'Let me look it up.')
      t.match(counts, { input: 14, cached: 3, cacheWrite: 2, output: 4 }, provider)
      t.match(toolCalls, [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }])
      answer = anthropicReply
      const input = [
        { role: 'user', content: 'hi' },
        ...response.output,
        { type: 'function_call_output', call_id: 'toolu_1', output: 'Sunny' },
      ]
      await ask({ model, tools: [weather], input, reasoning: { effort: 'low' } })
      turns.push(lastBody().messages[1])
    }
    t.match(turns[0], { role: 'assistant', content: blocks })
    t.match(turns[1], { role: 'assistant', content: blocks })
  }
})

t.test("OpenAI's encrypted thoughts go back, and nothing is stored there", async t => {
  const thought = {
    type: 'reasoning',
    id: 'rs_1',
    encrypted_content: 'ZW5jcnlwdGVk+/==',
    summary: [
      { type: 'summary_text', text: 'First.' },
      { type: 'summary_text', text: 'Second.' },
    ],
  }
  answer = request => {
    const reply = responsesReply(request)
    const body = JSON.parse(String(reply.body)) as { output: object[] }
    return { ...reply, body: JSON.stringify({ ...body, output: [thought, ...body.output] }) }
  }
  const model = 'openai-responses-v4/gpt-5-mini'
  const { response } = await ask({ model, tools: [weather], reasoning: { effort: 'low', summary: 'auto' } })
  t.match(lastBody(), { store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'low', summary: 'auto' } })
  t.equal(readPublicResponse(response).reasoning, 'First.Second.')
  const { call_id } = response.output.find(({ type }) => type === 'function_call') as { call_id: string }
  const input = [{ role: 'user', content: 'hi' }, ...response.output, { type: 'function_call_output', call_id, output: 'Sunny' }]
  await ask({ model, tools: [weather], input })
  const { id: _, ...without } = thought
  t.match(lastBody().input, [
    { role: 'user' },
    without,
    { type: 'function_call', call_id },
    { type: 'function_call_output', output: 'Sunny' },
  ])
  t.match(under.logs.join(''), /^(?![^]*sk-demo-bridge)/)
})

t.test('a missing key is told without a request', async t => {
  const before = upstream.requests.length
  const keyless = await gateway({ plugins: [aiSdk({ id: 'keyless', package: '@ai-sdk/groq', baseUrl: upstream.url })] })
  t.teardown(() => keyless.stop())
  const reply = await keyless.request('/v1/responses', { body: { model: 'keyless/any', input: 'hi' } })
  t.equal(reply.status, 424)
  t.equal(upstream.requests.length, before)
})

t.test('media that a vendor can fetch are sent by URL, the rest is fetched for it', async t => {
  const pdf = Buffer.from('%PDF-1.7 demo')
  const { host } = new URL(upstream.url)
  const fetching = await gateway({ plugins: bridges.map(({ plugin }) => plugin), settings: { mediaHosts: [host] } })
  t.teardown(() => fetching.stop())
  answer = request => (request.method === 'GET' ? { headers: { 'content-type': 'application/pdf' }, body: pdf } : anthropicReply(request))
  const image_url = 'https://images.example.com/a.png'
  const content = [
    { type: 'input_image', image_url },
    { type: 'input_file', file_url: `${upstream.url}/a.pdf` },
  ]
  const reply = await fetching.request('/v1/responses', {
    body: { model: 'anthropic-v2/claude-sonnet-4-5', input: [{ role: 'user', content }] },
  })
  t.equal(reply.status, 200, await reply.text())
  t.match(lastBody().messages[0].content, [
    { type: 'image', source: { type: 'url', url: image_url } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf.toString('base64') } },
  ])
})

t.test('secrets among the settings are masked, addresses are not', async t => {
  const settings = { apiKey: 'sk-demo-settings-7', headers: { 'x-demo': 'demo-secret-8' }, baseURL: `${upstream.url}/masked` }
  const masking = await gateway({ plugins: [aiSdk({ id: 'masked', package: '@ai-sdk/groq', settings })] })
  t.teardown(() => masking.stop())
  const message = `Bad: ${settings.apiKey} demo-secret-8 ${settings.baseURL}`
  answer = {
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
  }
  const reply = await masking.request('/v1/responses', { body: { model: 'masked/any', input: 'hi' } })
  t.match(upstream.requests.at(-1)!.headers, { authorization: `Bearer ${settings.apiKey}`, 'x-demo': 'demo-secret-8' })
  const { error } = (await reply.json()) as { error: { message: string } }
  t.equal(error.message, `Bad: *** *** ${settings.baseURL}`)
})
