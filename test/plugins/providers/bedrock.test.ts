import t from 'tap'
import type { Item, ProviderFailure } from '../../../core/index.ts'
import { providerCall } from '../../../core/testing/provider-call.ts'
import { providerSuite } from '../../../core/testing/provider-suite.ts'
import { inPieces, replay } from '../../../core/testing/replay.ts'
import { bedrockAdapter } from '../../../plugins/providers/bedrock/adapter.ts'
import { encodeEvent, encodeMessage } from './oracle/bedrock-framing.ts'
import { list, object } from './oracle/json.ts'
import { recordedReply, recordedRequest, recordings, recordingsAbsent } from '../../kit/recordings.ts'
import { ServiceModel, serviceModelAbsent } from './bedrock-service-model.ts'
import { fixtures } from './fixtures.ts'

const adapter = bedrockAdapter({ baseUrl: 'https://bedrock.example.com' })
const { requests, replies, examples } = fixtures('bedrock', framed)
const question = requests.find(({ name }) => name === 'text')!.request

function framed(events: readonly object[]): Buffer {
  return Buffer.concat(events.flatMap(event => Object.entries(event)).map(([type, payload]) => encodeEvent(type, payload)))
}

t.test('the suite of every provider', t => {
  providerSuite(t, {
    adapter,
    examples,
    failures: [
      failed(400, 'ValidationException', 'Malformed input request', 'invalid-request'),
      failed(400, 'ValidationException', 'Input is too long for requested model.', 'context-length'),
      failed(400, 'ValidationException', 'prompt is too long: 210000 tokens > 200000 maximum', 'context-length'),
      failed(400, 'ValidationException', 'Input Tokens Exceeded: Number of input tokens exceeds maximum length.', 'context-length'),
      failed(400, 'ValidationException', 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000', 'context-length'),
      failed(400, 'ValidationException', 'The provided model identifier is invalid.', 'not-found'),
      failed(400, 'ValidationException', 'Invocation of model ID m with on-demand throughput isn’t supported.', 'not-found'),
      failed(400, 'ValidationException', 'Operation not allowed', 'auth'),
      failed(400, 'ServiceQuotaExceededException', 'Your quota is exceeded.', 'quota'),
      failed(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID.", 'auth'),
      failed(403, 'ExpiredTokenException', 'The security token included in the request is expired', 'auth'),
      failed(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.', 'auth'),
      failed(403, 'InvalidSignatureException', 'Signature expired', 'auth'),
      failed(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token', 'auth'),
      failed(403, 'AccessDeniedException', 'Access denied. This Model is marked by provider as Legacy.', 'not-found'),
      failed(404, 'ResourceNotFoundException', 'This model version has reached the end of its life.', 'not-found'),
      failed(408, 'ModelTimeoutException', 'Model has timed out in processing the request.', 'timeout'),
      failed(424, 'ModelErrorException', 'The system encountered an unexpected error during processing.', 'unavailable'),
      failed(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.', 'rate-limit'),
      failed(429, 'ThrottlingException', 'Too many tokens per day, please wait before trying again.', 'quota'),
      failed(429, 'ModelNotReadyException', 'Model is not ready for inference.', 'overloaded'),
      failed(500, 'InternalServerException', 'The system encountered an unexpected error.', 'unavailable'),
      failed(503, 'ServiceUnavailableException', 'Too many connections, please wait before trying again.', 'overloaded'),
      { status: 400, body: '{"__type":"com.amazon.coral.service#ThrottlingException","Message":"Rate exceeded"}', kind: 'rate-limit' },
    ],
  })
  t.end()
})

function failed(status: number, type: string, message: string, kind: ProviderFailure['kind']) {
  const headers = { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` }
  return { status, headers, body: JSON.stringify({ message }), kind }
}

t.test('a failure tells the sentence, the status, the code and the raw body', t => {
  const { headers, body } = failed(400, 'ValidationException', 'Input is too long for requested model.', 'context-length')
  t.match(adapter.failure(400, headers, body), {
    message: 'Input is too long for requested model.',
    status: 400,
    code: undefined,
    upstream: body,
  })
  t.equal(adapter.failure(502, {}, '<html>').message, 'The provider answered with status 502.')
  t.end()
})

t.test('dropped parameters are named in warnings', t => {
  for (const { name, request, warnings = [] } of requests) {
    const told: string[] = []
    const empty = { output: { message: { content: [] } }, stopReason: 'end_turn' }
    adapter.reply(empty, event => event.type === 'warning' && told.push(`${event.param}: ${event.message}`), providerCall(request))
    t.strictSame(told, warnings, name)
  }
  t.end()
})

t.test('every request is one that the vendor describes', { skip: serviceModelAbsent }, t => {
  const model = new ServiceModel()
  for (const { name, request } of [...requests, ...replies])
    for (const stream of [true, false]) {
      const body: unknown = JSON.parse(String(adapter.prepare(providerCall({ ...request, stream })).body))
      t.strictSame(model.problems(stream ? 'ConverseStreamRequest' : 'ConverseRequest', body), [], name)
    }
  t.ok(
    model.problems('ConverseRequest', { messages: [{ role: 'system', content: [{ text: 'a', image: {} }] }] }).length >= 3,
    'it finds faults',
  )
  t.end()
})

t.test('the check by the service model takes what vendors were really sent', { skip: serviceModelAbsent || recordingsAbsent }, t => {
  const model = new ServiceModel()
  const sent = recordings().filter(({ api, status }) => api === 'converse' && status === 200)
  for (const recording of sent) {
    const body = recordedRequest(recording)
    if (body !== undefined) t.strictSame(model.problems('ConverseRequest', body), [], recording.path)
  }
  t.end()
})

t.test('a request goes to the path of its model, whatever its name holds', t => {
  const prepared = (model: string, stream: boolean) => adapter.prepare(providerCall({ ...question, model, stream }))
  t.match(prepared('us.amazon.nova-lite-v1:0', true), {
    method: 'POST',
    url: 'https://bedrock.example.com/model/us.amazon.nova-lite-v1%3A0/converse-stream',
    headers: { 'content-type': 'application/json', accept: 'application/vnd.amazon.eventstream' },
  })
  t.match(prepared('arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/ab12', false), {
    url: 'https://bedrock.example.com/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Aapplication-inference-profile%2Fab12/converse',
    headers: { accept: 'application/json' },
  })
  t.end()
})

t.test('an ARN is known by the canonical name of its model', t => {
  const upstreamModel = 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/ab12'
  const call = providerCall({ ...question, reasoning: { effort: 'high' } }, { endpoint: { model: 'claude-sonnet-5', upstreamModel } })
  t.match(JSON.parse(String(adapter.prepare(call).body)), { additionalModelRequestFields: { thinking: { type: 'adaptive' } } })
  t.end()
})

t.test('input that the dialect cannot carry is refused with advice', t => {
  const refused = (part: object, role = 'user'): string => {
    const input = [{ type: 'message', role, content: [part] }] as unknown as readonly Item[]
    try {
      adapter.prepare(providerCall({ ...question, input }))
      return 'was taken'
    } catch (error) {
      t.equal((error as ProviderFailure).kind, 'invalid-request')
      return (error as Error).message
    }
  }
  t.match(refused({ type: 'input_image', file_id: 'file_1' }), /file_id.*Send image_url/)
  t.match(refused({ type: 'input_file', file_id: 'file_1' }), /file_id.*Send file_data/)
  t.match(refused({ type: 'input_image', image_url: 'data:image/tiff;base64,AAAA' }), /image\/tiff.*image\/png/)
  t.match(refused({ type: 'input_image', image_url: 'data:nothing' }), /malformed/)
  t.match(refused({ type: 'input_file', filename: 'a.wav', file_data: 'data:audio/wav;base64,AAAA' }), /audio\/wav.*pdf, csv/)
  t.match(refused({ type: 'input_file', filename: 'a.mp4', file_data: 'AAAA' }), /unknown \(a\.mp4\)/)
  t.match(refused({ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,' }), /empty/)
  t.match(refused({ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }, 'system'), /user message or a tool output/)
  const input = [{ type: 'computer_call' }] as unknown as readonly Item[]
  t.throws(() => adapter.prepare(providerCall({ ...question, input })), /computer_call/)
  t.end()
})

t.test('a schema is enforced where models can be held to it', t => {
  const format = { type: 'json_schema', name: 'place', schema: { type: 'object', properties: { city: { type: 'string' } } } } as const
  const enforced = (model: string, given: Parameters<NonNullable<typeof adapter.enforcesFormat>>[0] = format): boolean =>
    adapter.enforcesFormat!(given, providerCall({ ...question, model }).endpoint)
  t.ok(enforced('us.anthropic.claude-sonnet-4-5-20250929-v1:0'))
  t.ok(enforced('qwen.qwen3-235b-a22b-2507-v1:0'))
  t.notOk(enforced('us.anthropic.claude-3-7-sonnet-20250219-v1:0'))
  t.notOk(enforced('us.amazon.nova-lite-v1:0'))
  t.notOk(enforced('qwen.qwen3-235b-a22b-2507-v1:0', { type: 'json_object' }))
  t.notOk(enforced('qwen.qwen3-235b-a22b-2507-v1:0', { ...format, schema: { type: 'object', additionalProperties: { type: 'string' } } }))
  t.end()
})

const streaming = providerCall({ ...question, stream: true })
const { stream } = replies.find(({ name }) => name === 'text')!

t.test('an exception inside the stream fails with what was said before', async t => {
  const kinds = {
    internalServerException: 'unavailable',
    modelStreamErrorException: 'unavailable',
    modelTimeoutException: 'timeout',
    serviceUnavailableException: 'overloaded',
    throttlingException: 'rate-limit',
    validationException: 'invalid-request',
  }
  for (const [type, kind] of Object.entries(kinds)) {
    const body = framed([...stream.slice(0, 2), { [type]: { message: 'Sorry.' } }])
    const { events, failure } = await replay(adapter, streaming, { pieces: [body] })
    t.match(failure, { kind, message: 'Sorry.', status: undefined, upstream: '{"message":"Sorry."}' }, type)
    t.same(events, [{ type: 'text', text: 'Hel' }], type)
  }
  const error = encodeMessage({
    headers: { ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'Oh.' },
    payload: '',
  })
  t.match((await replay(adapter, streaming, { pieces: [error] })).failure, { kind: 'unavailable', message: 'Oh.' })
})

t.test('messages that are not known are skipped', async t => {
  const unknown = [
    encodeEvent('demoUnknown', { text: 'no' }),
    encodeMessage({ headers: { ':message-type': 'demo' }, payload: 'not JSON' }),
    encodeEvent('contentBlockDelta', { contentBlockIndex: 9, delta: { demoUnknown: {} } }),
  ]
  const body = Buffer.concat(stream.flatMap(event => [...unknown, framed([event])]))
  const { events } = await replay(adapter, streaming, { pieces: [body] })
  t.same(events, replies.find(({ name }) => name === 'text')!.streamed)
})

t.test('a damaged or broken stream is a breach of protocol, never an answer', async t => {
  const body = framed(stream)
  for (let index = 4; index < body.length; index += 7) {
    const damaged = Buffer.from(body)
    damaged[index]! ^= 0x10
    const { failure } = await replay(adapter, streaming, { pieces: inPieces(damaged, 100) })
    t.match(failure, { kind: 'protocol' }, `byte ${index}`)
  }
  const html = '<html><body>Sorry, a proxy answers here.</body></html>'
  t.match((await replay(adapter, streaming, { pieces: [Buffer.from(html)] })).failure, { kind: 'protocol', upstream: html })
  t.match((await replay(adapter, streaming, { pieces: [body.subarray(0, body.length - 1)] })).failure, {
    kind: 'protocol',
    message: /middle/,
  })
  const other = encodeMessage({ headers: { ':message-type': 'event', ':event-type': 'messageStop' }, payload: '{oops' })
  t.match((await replay(adapter, streaming, { pieces: [other] })).failure, { kind: 'protocol', message: /not JSON/ })
  t.match((await replay(adapter, streaming, { pieces: [framed([{ messageStop: { stopReason: 'malformed_tool_use' } }])] })).failure, {
    kind: 'protocol',
    message: /malformed_tool_use/,
  })
})

t.test('a large event may come in many pieces', async t => {
  const text = 'x'.repeat(3_000_000)
  const body = framed([{ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } }, { messageStop: { stopReason: 'end_turn' } }])
  const { events } = await replay(adapter, streaming, { pieces: inPieces(body, 16_384) })
  t.match(events, [
    { type: 'text', text },
    { type: 'finish', reason: 'stop' },
  ])
})

t.test('InvokeModel carries bodies of other dialects, by name or pattern', async t => {
  const mixed = bedrockAdapter({
    baseUrl: 'https://bedrock.example.com',
    beta: ['demo-2026-01-01'],
    invoke: { 'us.anthropic.claude-opus-4-8': 'anthropic', 'arn:*:imported-model/*': 'openai-chat' },
  })
  const claude = providerCall({ ...question, model: 'us.anthropic.claude-opus-4-8', stream: true })
  const prepared = mixed.prepare(claude)
  t.match(prepared, {
    url: /\/model\/us\.anthropic\.claude-opus-4-8\/invoke-with-response-stream$/,
    headers: { accept: 'application/json' },
  })
  t.strictSame(JSON.parse(String(prepared.body)), {
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['demo-2026-01-01'],
    max_tokens: 100,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  })
  const chunk = (event: object): object => ({ chunk: { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'ab' } })
  const message = [
    { type: 'message_start', message: { model: 'claude-opus-4-8', content: [], usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 3 } },
  ]
  const { events } = await replay(mixed, claude, { pieces: inPieces(framed(message.map(chunk)), 5) })
  t.same(
    events.filter(({ type }) => type === 'text' || type === 'finish'),
    [
      { type: 'text', text: 'Hi' },
      { type: 'finish', reason: 'stop' },
    ],
  )
  const broken = framed([...message.slice(0, 3).map(chunk), { modelTimeoutException: { message: 'Too slow.' } }])
  t.match((await replay(mixed, claude, { pieces: [broken] })).failure, { kind: 'timeout', message: 'Too slow.' })
  t.match((await replay(mixed, claude, { pieces: [framed([{ chunk: { p: 'a' } }])] })).failure, {
    kind: 'protocol',
    message: /without bytes/,
  })

  const imported = providerCall({ ...question, model: 'arn:aws:bedrock:us-east-1:123456789012:imported-model/ab12' })
  t.match(mixed.prepare(imported).url, /imported-model%2Fab12\/invoke$/)
  t.match(JSON.parse(String(mixed.prepare(imported).body)), { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 })
  const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }
  t.match((await replay(mixed, imported, { pieces: [Buffer.from(JSON.stringify(answer))] })).events.at(-1), {
    type: 'finish',
    reason: 'stop',
  })
  t.match(mixed.prepare(providerCall(question)).url, /\/converse$/, 'what no pattern names goes by Converse')
})

t.test('thoughts go back as they came, byte for byte', { skip: recordingsAbsent }, async t => {
  const blocksOf = (content: unknown): readonly object[] =>
    list(content)
      .map(object)
      .filter(block => block['reasoningContent'])
  let thoughts = 0
  for (const recording of recordings().filter(({ api, status }) => api === 'converse' && status === 200)) {
    const { body } = recordedReply(recording)!
    const call = providerCall({ ...question, model: recording.model || 'any', stream: recording.mode === 'stream' })
    const { events } = await replay(adapter, call, { pieces: [body] })
    const states = events.flatMap(event => (event.type === 'reasoning-state' ? [event.opaque] : []))
    const input = [
      ...question.input,
      ...states.map(encrypted_content => ({ type: 'reasoning', summary: [], encrypted_content }) as const),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So it is.' }] } as const,
      ...question.input,
    ]
    const sent = JSON.parse(String(adapter.prepare({ ...call, request: { ...call.request, input } }).body)) as { messages: unknown[] }
    const back = blocksOf(object(sent.messages[1])['content'])
    thoughts += back.length
    if (recording.mode === 'unary')
      t.strictSame(back, blocksOf(object(object(object(JSON.parse(body.toString()))['output'])['message'])['content']), recording.path)
    else for (const opaque of back.flatMap(opaquesIn)) t.ok(body.includes(opaque), recording.path)
  }
  t.comment(`${thoughts} thoughts`)
  t.ok(thoughts > 0)
})

/** The parts of a thought that only the vendor can read. */
function opaquesIn(block: object): readonly string[] {
  const { reasoningText, redactedContent } = object(object(block)['reasoningContent'])
  return [object(reasoningText)['signature'], redactedContent].filter(each => typeof each === 'string')
}
