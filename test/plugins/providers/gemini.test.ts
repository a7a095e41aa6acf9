import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { ProviderFailure, type GenerationEvent, type JsonObject } from '../../../core/index.ts'
import type { UpstreamRequestBody } from '../../../core/kit.ts'
import { fakeUpstream, providerCall, providerSuite, replay, sseFrame, testGateway } from '../../../core/testing/index.ts'
import { geminiAdapter } from '../../../plugins/providers/gemini/adapter.ts'
import gemini from '../../../plugins/providers/gemini/index.ts'
import { modelPath } from '../../../plugins/providers/gemini/model-path.ts'
import { basics } from '../../kit/gateway.ts'
import { fixtures } from './fixtures.ts'

const root = 'https://api.example.com/v1beta'
const adapter = geminiAdapter({
  modelUrl: ({ endpoint }) => `${root}/models/${endpoint.upstreamModel}`,
  filesUrl: `${root}/files`,
  ownApi: true,
})
const { requests, replies, examples } = fixtures('gemini', sse)

function sse(responses: readonly unknown[]): string {
  return responses.map(response => sseFrame(response).replaceAll('\n', '\r\n')).join('')
}

t.test('the suite of every provider', t => {
  providerSuite(t, {
    adapter,
    examples,
    failures: [
      failed(400, 'INVALID_ARGUMENT', 'Please use a valid role: user, model.', 'invalid-request'),
      failed(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 'auth', [{ reason: 'API_KEY_INVALID' }]),
      failed(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        'context-length',
      ),
      failed(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.', 'auth'),
      failed(400, 'FAILED_PRECONDITION', 'Please enable billing on your project.', 'quota'),
      failed(400, 'FAILED_PRECONDITION', 'This model models/gemini-demo is no longer available to new users.', 'not-found'),
      failed(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.', 'auth'),
      failed(403, 'PERMISSION_DENIED', 'The API has not been used in this project before or it is disabled.', 'auth', [
        { reason: 'SERVICE_DISABLED' },
      ]),
      failed(404, 'NOT_FOUND', 'models/demo is not found for API version v1beta.', 'not-found'),
      failed(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.', 'rate-limit'),
      failed(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', 'quota'),
      failed(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', 'rate-limit', [
        { violations: [{ quotaId: 'RequestsPerMinutePerProject' }] },
      ]),
      failed(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', 'quota', [
        { violations: [{ quotaId: 'RequestsPerDayPerProject' }] },
      ]),
      failed(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.', 'rate-limit', [{ metadata: { quota_limit: 'RequestsPerMinutePerRegion' } }]),
      failed(499, 'CANCELLED', 'The operation was cancelled.', 'unavailable'),
      failed(500, 'INTERNAL', 'An internal error has occurred.', 'unavailable'),
      failed(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.', 'overloaded'),
      failed(504, 'DEADLINE_EXCEEDED', 'The request timed out.', 'timeout'),
      { status: 400, body: '[{"error":{"status":"NOT_FOUND","message":"in a list"}}]', kind: 'not-found' },
      { status: 502, body: '<!DOCTYPE html><title>Error 502</title>', kind: 'unavailable' },
    ],
    unknownFrame: ': a comment\n\nevent: demo.unknown\ndata: {"type":"demo.unknown"}\n\n',
  })
  t.end()
})

function failed(status: number, name: string, message: string, kind: ProviderFailure['kind'], details: readonly JsonObject[] = []) {
  return { status, body: JSON.stringify({ error: { code: status, message, status: name, details } }), kind }
}

t.test('a failure tells the sentence, the status, the code, how long to wait, and the raw body', t => {
  const { body } = failed(
    400,
    'INVALID_ARGUMENT',
    'The input token count (3) exceeds the maximum number of tokens allowed (2).',
    'context-length',
  )
  const { message, status, code, upstream, retryAfterMs } = adapter.failure(400, {}, body)
  t.strictSame(
    { message, status, code, upstream, retryAfterMs },
    {
      message: 'The input token count (3) exceeds the maximum number of tokens allowed (2).',
      status: 400,
      code: undefined,
      upstream: body,
      retryAfterMs: undefined,
    },
  )
  const limited = failed(429, 'RESOURCE_EXHAUSTED', 'Slower.', 'rate-limit', [
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
  ])
  t.equal(adapter.failure(429, {}, limited.body).retryAfterMs, 34_400)
  t.equal(adapter.failure(429, { 'retry-after': '2' }, limited.body).retryAfterMs, 2000)
  const image = failed(400, 'INVALID_ARGUMENT', 'Unable to process input image.', 'invalid-request')
  t.equal(adapter.failure(400, {}, image.body).code, 'image_parse_error')
  t.equal(adapter.failure(502, {}, '<html>').message, 'The provider answered with status 502.')
  t.end()
})

const schemas = resolve(import.meta.dirname, '../../../../shared/wire-schemas')
const ownSchema = join(schemas, 'gemini.v1beta.openapi.json')
const platformSchema = join(schemas, 'vertex-ai.v1.generateContent.discovery.json')

t.test(
  'every request is one that the vendor publishes, without unknown members',
  { skip: !existsSync(ownSchema) && `no vendor schema at ${ownSchema}` },
  t => {
    const document = JSON.parse(readFileSync(ownSchema, 'utf8')) as { readonly components: { readonly schemas: JsonObject } }
    const check = checker(document.components.schemas, 'GenerateContentRequest')
    for (const { name, request } of [...requests, ...replies]) {
      const body = JSON.parse(String(adapter.prepare(providerCall(request)).body)) as JsonObject
      // The model is named in the address.
      t.strictSame(check({ ...body, model: 'models/demo' }), [], name)
    }
    t.end()
  },
)

t.test('and one that the platform publishes', { skip: !existsSync(platformSchema) && `no vendor schema at ${platformSchema}` }, t => {
  const document = JSON.parse(readFileSync(platformSchema, 'utf8')) as { readonly schemas: JsonObject }
  const check = checker(document.schemas, 'GoogleCloudAiplatformV1GenerateContentRequest')
  const platform = geminiAdapter({ modelUrl: () => root })
  for (const { name, request } of [...requests, ...replies]) {
    // It does not store files, so that one with a file's id cannot be said.
    if (name !== 'images') t.strictSame(check(JSON.parse(String(platform.prepare(providerCall(request)).body))), [], name)
  }
  t.end()
})

/** The published schemas tolerate any member; one that they do not name would be refused all the same. */
function checker(published: JsonObject, root: string): (body: unknown) => readonly string[] {
  const $defs = Object.fromEntries(Object.entries(published).map(([name, schema]) => [name, closed(schema)]))
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({ $ref: `#/$defs/${root}`, $defs })
  return body =>
    validate(body)
      ? []
      : validate.errors!.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
}

function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, type, properties, additionalProperties, items, allOf, required, enum: values } = schema as Record<string, JsonObject>
  if ($ref) return { $ref: `#/$defs/${String($ref).replace(/^.*\//, '')}` }
  return {
    ...(type && String(type) !== 'any' && { type }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, closed(each)])) }),
    ...(properties ? { additionalProperties: false } : additionalProperties && { additionalProperties: closed(additionalProperties) }),
    ...(items && { items: closed(items) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map(closed) }),
    ...(required && { required }),
    ...(values && { enum: values }),
  }
}

t.test('input that the vendor cannot take is refused with advice', t => {
  const cases: readonly (readonly [JsonObject, RegExp])[] = [
    [user({ type: 'input_image', image_url: 'http://images.example.com/cat.png' }), /only by https: and data: URLs/],
    [user({ type: 'input_image' }), /neither image_url nor file_id/],
    [user({ type: 'input_file' }), /neither file_data nor file_url nor file_id/],
    [user({ type: 'input_image', image_url: 'data:image/png;base64' }), /malformed/],
    [user({ type: 'input_file', file_data: 'data:text/plain,%E0%A4%A' }), /malformed/],
    [
      { type: 'message', role: 'assistant', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA' }] },
      /in a user message/,
    ],
    [{ type: 'function_call_output', call_id: 'call_1', output: 'Rain' }, /call_id "call_1", but no earlier function_call has it/],
    [{ type: 'compaction', encrypted_content: 'x' }, /Items of type compaction/],
  ]
  for (const [item, message] of cases) {
    const input = [item] as unknown as UpstreamRequestBody['input']
    t.throws(() => adapter.prepare(providerCall({ model: 'gemini-2.5-flash', input })), { kind: 'invalid-request', message })
  }
  const input = [user({ type: 'input_file', file_id: 'files/abc' })] as unknown as UpstreamRequestBody['input']
  t.throws(() => geminiAdapter({ modelUrl: () => root }).prepare(providerCall({ model: 'gemini-2.5-flash', input })), {
    message: /does not store files/,
  })
  t.end()
})

function user(part: JsonObject): JsonObject {
  return { type: 'message', role: 'user', content: [part] }
}

t.test('dropped parameters are named before the reply', async t => {
  const warnings = async (name: string): Promise<readonly string[]> => {
    const { request } = requests.find(each => each.name === name)!
    const { events } = await replay(adapter, providerCall(request), {
      pieces: [Buffer.from(JSON.stringify(replies[0]!.reply ?? { candidates: [] }))],
    })
    return events.flatMap(event => (event.type === 'warning' ? [event.param] : []))
  }
  t.strictSame(await warnings('settings'), ['text.verbosity'])
  t.strictSame(await warnings('tools'), ['tools', 'parallel_tool_calls'])
  t.strictSame(await warnings('search'), ['tools'])
  t.strictSame(await warnings('search-allowed'), [])
  t.strictSame(await warnings('json-beside-tools'), ['text.format'])
  for (const name of ['thinking-budget-least', 'thinking-level-least', 'thinking-unknown'])
    t.strictSame(await warnings(name), ['reasoning.effort'])
})

t.test('a JSON array in place of events, in any pieces', async t => {
  const { request, stream, streamed } = replies.find(({ name }) => name === 'thoughts-and-calls')!
  const body = Buffer.from(`[${stream.map(response => JSON.stringify(response, null, 2)).join('\n,\r\n')}\n]\n`)
  for (const length of [1, 7, body.length]) {
    const pieces = Array.from({ length: Math.ceil(body.length / length) }, (_, index) =>
      body.subarray(index * length, (index + 1) * length),
    )
    const { events, failure } = await replay(adapter, providerCall({ ...request, stream: true }), { pieces })
    t.equal(failure, undefined)
    t.strictSame(events, streamed)
  }
})

t.test('an error inside the stream fails with what was said before, however it is printed', async t => {
  const { request, stream } = replies.find(({ name }) => name === 'text')!
  const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
  for (const body of [
    sse([...stream.slice(0, 2), error]),
    `${sse(stream.slice(0, 2))}${JSON.stringify(error, null, 2)}`,
    `${JSON.stringify([...stream.slice(0, 2), error])}`,
  ]) {
    const { events, failure } = await replay(adapter, providerCall({ ...request, stream: true }), { pieces: [Buffer.from(body)] })
    t.match(failure, { kind: 'overloaded', message: 'The model is overloaded.', status: undefined })
    t.equal(events.filter(({ type }) => type === 'text').length, 2)
  }
})

t.test('endings that are no answer', async t => {
  const { request } = replies[0]!
  const ended = async (body: JsonObject): Promise<unknown> => {
    const { events, failure } = await replay(adapter, providerCall(request), { pieces: [Buffer.from(JSON.stringify(body))] })
    t.notOk(events.some(({ type }) => type === 'finish'))
    return failure
  }
  const malformed = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: print(' }] }
  t.match(await ended(malformed), { kind: 'protocol', message: 'Malformed function call: print(' })
  t.match(await ended({ candidates: [{ finishReason: 'OTHER' }] }), {
    kind: 'unavailable',
    message: 'The model returned no answer (OTHER).',
  })
  const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }
  t.match(await ended(blocked), { kind: 'refused', message: 'The provider blocked the prompt (PROHIBITED_CONTENT).' })
  const image = { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] }, finishReason: 'STOP' }] }
  t.match(await ended(image), { kind: 'protocol', message: /only an image or a sound/ })
  t.match(await ended({ error: { status: 'INTERNAL', message: 'Sorry' } }), { kind: 'unavailable', message: 'Sorry' })
})

t.test('an event that is no JSON is a breach of protocol, and lines of one event are as many events', async t => {
  const { request, stream, streamed } = replies.find(({ name }) => name === 'text')!
  const call = providerCall({ ...request, stream: true })
  t.match((await replay(adapter, call, { pieces: [Buffer.from('data: {oops\n\n')] })).failure, { kind: 'protocol' })
  const together = stream.map(response => `data: ${JSON.stringify(response)}\n`).join('')
  t.strictSame((await replay(adapter, call, { pieces: [Buffer.from(together)] })).events, streamed)
})

t.test('models are named in the address, and cannot leave it', t => {
  t.equal(modelPath('gemini-2.5-flash'), 'models/gemini-2.5-flash')
  t.equal(modelPath('models/gemini-2.5-flash'), 'models/gemini-2.5-flash')
  t.equal(modelPath('tunedModels/mine'), 'tunedModels/mine')
  t.equal(modelPath('../files?x=1'), 'models/..%2Ffiles%3Fx%3D1')
  const { method, url, headers } = adapter.prepare(providerCall({ ...requests[0]!.request, stream: true }))
  t.strictSame({ method, url }, { method: 'POST', url: `${root}/models/${requests[0]!.request.model}:streamGenerateContent?alt=sse` })
  t.strictSame(headers, { 'content-type': 'application/json', accept: 'text/event-stream' })
  t.end()
})

t.test('the plugin registers a provider under its id, with the key as a header', async t => {
  const { plugin } = gemini({})
  const added: { id: string; credentials?: readonly { id: string }[]; generate(call: unknown): AsyncIterable<GenerationEvent> }[] = []
  let sent: { url: string; headers: Record<string, string>; body: string } | undefined
  const http = {
    async send(request: typeof sent) {
      sent = request
      throw new ProviderFailure({ kind: 'network', message: 'not connected' })
    },
  }
  const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }] as const
  const options = {
    id: 'google',
    apiKey: 'sk-demo-1',
    baseUrl: 'https://api.example.com/v1beta/',
    safetySettings,
    headers: { 'X-Demo': 'yes' },
  }
  t.equal(plugin.instance!(options), 'google')
  await plugin.setup({ http, add: (_: unknown, provider: never) => added.push(provider) } as never, options, {})
  const [provider] = added
  t.equal(provider!.id, 'google')
  const credentialId = provider!.credentials![0]!.id
  const call = providerCall({ model: 'gemini-2.5-flash', input: requests[0]!.request.input }, { credentialId })
  await t.rejects(provider!.generate(call)[Symbol.asyncIterator]().next())
  t.match(sent, {
    url: 'https://api.example.com/v1beta/models/gemini-2.5-flash:generateContent',
    headers: { 'x-goog-api-key': 'sk-demo-1', 'x-demo': 'yes' },
  })
  t.match(JSON.parse(sent!.body), { safetySettings, store: false })
})

t.test('through the gateway, a signed call goes back with its signature, and its result finds its name', async t => {
  const call = { functionCall: { name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'c2lnMQ==' }
  const answers = [[call], [{ text: 'It rains.' }]].map(parts => ({
    body: JSON.stringify({
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
      modelVersion: 'gemini-3-flash-preview',
    }),
  }))
  const vendor = await fakeUpstream(answers)
  const gateway = await testGateway({ plugins: [...basics(), gemini({ apiKey: 'sk-demo-1', baseUrl: vendor.url })] })
  t.teardown(async () => {
    await gateway.stop()
    await vendor.close()
  })
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }]
  const ask = async (input: readonly object[]): Promise<readonly JsonObject[]> => {
    const body = { model: 'gemini/gemini-3-flash-preview', input, tools, include: ['reasoning.encrypted_content'] }
    return ((await (await gateway.request('/v1/responses', { body })).json()) as { output: readonly JsonObject[] }).output
  }
  const question = { role: 'user', content: 'Weather?' }
  const first = await ask([question])
  t.strictSame(
    first.map(({ type }) => type),
    ['reasoning', 'function_call'],
  )
  t.notMatch(JSON.stringify(first), 'c2lnMQ==', 'the signature is sealed')
  const { call_id: id } = first[1]!
  t.match(await ask([question, ...first, { type: 'function_call_output', call_id: id, output: 'Rain' }]), [{ type: 'message' }])
  t.match(vendor.requests[1]!.body, {
    contents: [
      { role: 'user', parts: [{ text: 'Weather?' }] },
      { role: 'model', parts: [{ functionCall: { id, name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'c2lnMQ==' }] },
      { role: 'user', parts: [{ functionResponse: { id, name: 'get_weather', response: { output: 'Rain' } } }] },
    ],
  })
  t.equal(vendor.requests[1]!.headers['x-goog-api-key'], 'sk-demo-1')
})
