import { Readable } from 'node:stream'
import t from 'tap'
import type { GenerationEvent, JsonObject } from '../../../core/index.ts'
import { httpProvider, type HttpClient, type TextFormat, type UpstreamRequestBody } from '../../../core/kit.ts'
import { checkEvents, fakeUpstream, providerCall, providerSuite, readEvents, replay, sseFrame } from '../../../core/testing/index.ts'
import { cohereAdapter } from '../../../plugins/providers/cohere/adapter.ts'
import { utf16Offset } from '../../../plugins/providers/cohere/citation.ts'
import cohere from '../../../plugins/providers/cohere/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { object } from './oracle/json.ts'
import { plainSse } from './oracle/plain-sse.ts'
import { recordedReply, recordings, recordingsAbsent } from '../../kit/recordings.ts'
import { fixtures } from './fixtures.ts'
import { checkAgainstMock } from './mock-server.ts'

const adapter = cohereAdapter({ url: 'https://api.example.com/v2/chat' })
const { examples } = fixtures('cohere', sse)

function sse(events: readonly JsonObject[]): string {
  return `${events.map(event => `event: ${String(event['type'])}\n${sseFrame(event)}`).join('')}data: [DONE]\n\n`
}

t.test('the suite of every provider', t => {
  providerSuite(t, {
    adapter,
    examples,
    failures: [
      failed(400, 'too many tokens: size limit exceeded by 25 tokens.', 'context-length', { error_type: 'TOO_MANY_TOKENS' }),
      failed(400, 'too many tokens: total number of tokens in the prompt cannot exceed 4081', 'context-length'),
      failed(400, 'invalid request: message must be at least 1 token long.', 'invalid-request'),
      failed(401, 'invalid api token', 'auth'),
      failed(402, 'Please add or update your payment method at https://dashboard.example.com', 'quota'),
      failed(404, "model 'demo' not found, make sure the correct model ID was used", 'not-found'),
      failed(422, 'unprocessable entity', 'invalid-request'),
      failed(429, 'You are past the per minute request limit, please wait and try again later.', 'rate-limit'),
      failed(429, 'You are using a Trial key, which is limited to 1000 API calls / month.', 'quota'),
      failed(498, 'invalid token', 'auth'),
      failed(499, 'request cancelled', 'unavailable'),
      failed(500, 'internal server error', 'unavailable'),
      failed(503, 'service unavailable', 'overloaded'),
      { status: 502, body: '<!DOCTYPE html><title>Error 502</title>', kind: 'unavailable' },
    ],
  })
  t.end()
})

function failed(status: number, message: string, kind: ReturnType<typeof adapter.failure>['kind'], more: JsonObject = {}) {
  return { status, body: JSON.stringify({ id: 'r1', message, ...more }), kind }
}

t.test('a failure tells the sentence, the code, how long to wait, and the raw body', t => {
  const body = '{"id":"r1","message":"too many tokens: size limit exceeded by 25 tokens."}'
  t.match(adapter.failure(400, {}, body), {
    message: 'too many tokens: size limit exceeded by 25 tokens.',
    code: undefined,
    upstream: body,
  })
  t.equal(adapter.failure(429, { 'retry-after': '2' }, '{"message":"Slower"}').retryAfterMs, 2000)
  t.equal(adapter.failure(400, {}, '{"message":"failed to download the image"}').code, 'failed_to_download_image')
  t.equal(adapter.failure(502, {}, '<html>').message, 'The provider answered with status 502.')
  t.end()
})

t.test('a message that ends with an error is a failure, after what had been said', async t => {
  const ends: readonly (readonly [JsonObject, object])[] = [
    [
      { finish_reason: 'ERROR', error: 'invalid tool generation', error_type: 'INVALID_TOOL_GENERATION' },
      { kind: 'protocol', message: 'invalid tool generation' },
    ],
    [{ finish_reason: 'ERROR' }, { kind: 'unavailable', message: 'The provider broke off its reply.' }],
    [{ finish_reason: 'TIMEOUT' }, { kind: 'timeout', message: 'The provider broke off its reply (TIMEOUT).' }],
    [{ finish_reason: 'USER_CANCEL' }, { kind: 'unavailable' }],
  ]
  const call = (stream: boolean) =>
    providerCall({ model: 'demo', stream, input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] })
  for (const [end, failure] of ends) {
    const events = [
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: 'Hm' } } } },
      { type: 'message-end', delta: end },
    ]
    const streamed = await replay(adapter, call(true), { pieces: [Buffer.from(sse(events))] })
    t.strictSame(streamed.events, [{ type: 'text', text: 'Hm' }])
    t.match(streamed.failure, failure)
    const body = JSON.stringify({ message: { content: [{ type: 'text', text: 'Hm' }] }, ...end })
    t.match((await replay(adapter, call(false), { pieces: [Buffer.from(body)] })).failure, failure)
  }
})

t.test('a format is enforced where the vendor knows all of its schema', t => {
  const enforced = (schema: JsonObject) =>
    adapter.enforcesFormat!(
      { type: 'json_schema', name: 'demo', schema } as TextFormat,
      providerCall({ model: 'demo', input: [] }).endpoint,
    )
  const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  t.equal(adapter.enforcesFormat!({ type: 'json_object' }, providerCall({ model: 'demo', input: [] }).endpoint), true)
  t.equal(enforced(place), true)
  t.equal(enforced({ ...place, properties: { minimum: { type: 'string' } } }), true, 'a member may have the name of a keyword')
  t.equal(enforced({ ...place, properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { anyOf: [place, { type: 'null' }] } } }), true)
  t.equal(enforced({ type: 'array', items: place }), false)
  t.equal(enforced({ ...place, required: [] }), false)
  t.equal(enforced({ ...place, properties: { a: { type: 'object', properties: {} } } }), false)
  t.equal(enforced({ ...place, properties: { a: { type: 'array', items: { type: 'integer', minimum: 1 } } } }), false)
  t.equal(enforced({ ...place, properties: { a: { type: 'string', format: 'email' } } }), false)
  t.equal(enforced({ ...place, properties: { a: { type: 'string', pattern: '^a$' } } }), false)
  t.equal(enforced({ ...place, $defs: { a: { oneOf: [place] } } }), false)
  t.end()
})

t.test('input that the vendor cannot take is refused with advice', t => {
  const refused = (part: JsonObject, message: RegExp, role = 'user') => {
    const input = [{ type: 'message', role, content: [part] }] as unknown as UpstreamRequestBody['input']
    t.throws(() => adapter.prepare(providerCall({ model: 'demo', input })), { kind: 'invalid-request', message })
  }
  refused({ type: 'input_file', file_id: 'file_1', filename: 'a.txt' }, /"a.txt" is referenced by file_id.*Send its file_data/)
  refused(
    { type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
    /"a.pdf" is not a text file \(application\/pdf\)/,
  )
  refused({ type: 'input_file', file_data: 'data:text/plain;base64,/w==', filename: 'a.txt' }, /is not a text file/)
  refused({ type: 'input_image', file_id: 'file_1' }, /does not store files/)
  refused({ type: 'input_image', image_url: 'data:image/png;base64,AA' }, /in a user message/, 'assistant')
  const compaction = [{ type: 'compaction', encrypted_content: 'x' }] as UpstreamRequestBody['input']
  t.throws(() => adapter.prepare(providerCall({ model: 'demo', input: compaction })), { message: /Items of type compaction/ })
  t.end()
})

t.test('dropped parameters are named in warnings', async t => {
  const told = async (more: Partial<UpstreamRequestBody>): Promise<readonly string[]> => {
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] as const
    const body = JSON.stringify({ message: { content: [] }, finish_reason: 'COMPLETE' })
    const { events } = await replay(adapter, providerCall({ model: 'command-a-03-2025', input, ...more }), { pieces: [Buffer.from(body)] })
    return events.flatMap(event => (event.type === 'warning' ? [event.param] : []))
  }
  t.strictSame(await told({ presence_penalty: -1, frequency_penalty: 1, top_p: 1 }), ['presence_penalty'])
  t.strictSame(await told({ reasoning: { effort: 'high' }, top_logprobs: 2 }), ['reasoning.effort', 'top_logprobs'])
  t.strictSame(await told({ reasoning: { effort: 'none' }, parallel_tool_calls: true, text: { verbosity: 'medium' } }), [])
  t.strictSame(await told({ tools: [{ type: 'function', name: 'look' }], text: { format: { type: 'json_object' } } }), ['text.format'])
})

t.test('files that core fetched are documents, and a message of files alone still says something', async t => {
  const file = { type: 'input_file', file_url: 'https://files.example.com/facts.txt' } as const
  const input = [{ type: 'message', role: 'user', content: [file] }] as const
  const reply = { message: { content: [{ type: 'text', text: 'Yes.' }] }, finish_reason: 'COMPLETE' }
  const http: HttpClient = {
    async send({ body }) {
      t.match(JSON.parse(String(body)), {
        messages: [{ role: 'user', content: 'See the document "facts.txt".' }],
        documents: [{ id: 'file_0', data: { title: 'facts.txt', text: 'Facts.' } }],
      })
      return { status: 200, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(reply))]) }
    },
    media: async ([wanted]) => ({
      contents: new Map([
        [wanted!.url, { mediaType: 'text/plain', base64: [Buffer.from(Buffer.from('Facts.').toString('base64'))], bytes: 6 }],
      ]),
      release: () => {},
    }),
    async close() {},
  }
  const events: GenerationEvent[] = []
  for await (const event of httpProvider('demo', adapter, http).generate(providerCall({ model: 'demo', input })))
    events.push(...[event].flat())
  t.match(events, [
    { type: 'text', text: 'Yes.' },
    { type: 'finish', reason: 'stop' },
  ])
})

t.test('the vendor counts characters, not bytes and not units of UTF-16', { skip: recordingsAbsent }, t => {
  t.strictSame(
    [0, 1, 2, 3, 9].map(characters => utf16Offset('a👋b', characters)),
    [0, 1, 3, 4, 4],
  )
  let checked = 0
  for (const recording of recordings().filter(({ api, status }) => api === 'chat-v2' && status === 200)) {
    const { body } = recordedReply(recording)!
    const { text, citations } = recording.mode === 'stream' ? citedInStream(body) : citedIn(JSON.parse(body.toString('utf8')))
    for (const { start, end, text: quoted } of citations.map(object)) {
      t.equal(text.slice(utf16Offset(text, Number(start)), utf16Offset(text, Number(end))), quoted, recording.path)
      checked += 1
    }
  }
  t.comment(`${checked} citations`)
  t.ok(checked > 0)
  t.end()
})

function citedIn(body: unknown): { readonly text: string; readonly citations: readonly unknown[] } {
  const { content, citations } = object(object(body)['message']) as { content?: { text?: string }[]; citations?: unknown[] }
  return { text: content?.map(part => part.text ?? '').join('') ?? '', citations: citations ?? [] }
}

function citedInStream(body: Uint8Array): { readonly text: string; readonly citations: readonly unknown[] } {
  const said = plainSse(body).map(event => object(object(object(event)['delta'])['message']))
  const text = said.map(({ content }) => object(content)['text'] ?? '').join('')
  return { text, citations: said.flatMap(({ citations }) => (object(citations)['text'] === undefined ? [] : [citations])) }
}

t.test('through the gateway', async t => {
  const upstream = await fakeUpstream(request => {
    const { messages } = request.body as { readonly messages: readonly JsonObject[] }
    const answered = messages.some(({ role }) => role === 'tool')
    return { headers: { 'content-type': 'text/event-stream' }, body: sse(answered ? answer : plan) }
  })
  t.teardown(() => upstream.close())
  const { request, stop } = await gateway({ plugins: [cohere({ apiKey: 'sk-demo-cohere', baseUrl: `${upstream.url}/v2/` })] })
  t.teardown(stop)
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object' } }]
  const ask = async (input: unknown): Promise<JsonObject> => {
    const response = await request('/v1/responses', {
      method: 'POST',
      body: { model: 'cohere/command-a-plus', input, tools, stream: true },
    })
    return checkEvents(readEvents(await response.text())).response
  }
  const first = await ask('Weather in Oslo?')
  const output = first['output'] as readonly JsonObject[]
  t.strictSame(
    output.map(({ type, phase }) => [type, phase]),
    [
      ['reasoning', undefined],
      ['message', 'commentary'],
      ['function_call', undefined],
    ],
  )
  const result = {
    type: 'function_call_output',
    call_id: output[2]!['call_id'],
    output: '{"url":"https://weather.example.com","sky":"grey"}',
  }
  const second = await ask([{ role: 'user', content: 'Weather in Oslo?' }, ...output, result])
  t.match(second['output'], [
    {
      type: 'message',
      content: [
        { text: '👋 Grey.', annotations: [{ type: 'url_citation', url: 'https://weather.example.com', start_index: 3, end_index: 8 }] },
      ],
    },
  ])
  const sent = upstream.requests[1]!
  t.equal(sent.url, '/v2/chat')
  t.equal(sent.headers.authorization, 'Bearer sk-demo-cohere')
  t.match((sent.body as JsonObject)['messages'], [
    { role: 'user', content: 'Weather in Oslo?' },
    {
      role: 'assistant',
      content: [{ type: 'thinking', thinking: 'Hm.' }],
      tool_plan: 'I will look.',
      tool_calls: [{ id: 'get_weather_1', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
    },
    { role: 'tool', tool_call_id: 'get_weather_1', content: [{ type: 'document', document: { data: { sky: 'grey' } } }] },
  ])
})

const plan: readonly JsonObject[] = [
  { type: 'message-start', delta: { message: {} } },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'thinking', thinking: 'Hm.' } } } },
  { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will look.' } } },
  {
    type: 'tool-call-start',
    index: 0,
    delta: { message: { tool_calls: { id: 'get_weather_1', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } } } },
  },
  { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
]

const source = { type: 'tool', id: 'get_weather_1:0', tool_output: { url: 'https://weather.example.com' } }
const answer: readonly JsonObject[] = [
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '👋 Grey.' } } } },
  { type: 'citation-start', index: 0, delta: { message: { citations: { start: 2, end: 7, sources: [source] } } } },
  { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
]

t.test('against a server that others wrote', t =>
  checkAgainstMock(t, 'command-a', options => cohere({ apiKey: 'sk-demo-cohere', ...options })),
)
