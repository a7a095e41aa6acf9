import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { ProviderFailure, type GenerationEvent, type TokenUsage } from '../../../core/index.ts'
import { fakeUpstream, sseFrame } from '../../../core/testing/index.ts'
import { providerCall } from '../../../core/testing/provider-call.ts'
import { providerSuite } from '../../../core/testing/provider-suite.ts'
import { replay } from '../../../core/testing/replay.ts'
import { messagesAdapter } from '../../../dialects/index.ts'
import { claude } from '../../../plugins/providers/anthropic/models.ts'
import anthropic from '../../../plugins/providers/anthropic/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask } from '../../kit/stage.ts'
import { fixtures } from './fixtures.ts'

const adapter = messagesAdapter({ baseUrl: 'https://api.example.com', traits: claude })
const { requests, replies, examples } = fixtures('anthropic', sse)

function sse(events: readonly (string | { readonly type: string })[]): string {
  return events.map(event => (typeof event === 'string' ? sseFrame(event) : sseFrame(event, event.type))).join('')
}

t.test('the suite of every provider', t => {
  providerSuite(t, {
    adapter,
    examples,
    failures: [
      failed(400, 'invalid_request_error', 'messages: at least one message is required', 'invalid-request'),
      failed(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context-length'),
      failed(400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000', 'context-length'),
      failed(400, 'invalid_request_error', 'Your credit balance is too low to access the API.', 'quota'),
      failed(400, 'invalid_request_error', 'You have reached your specified API usage limits.', 'quota'),
      failed(401, 'authentication_error', 'invalid x-api-key', 'auth'),
      failed(402, 'billing_error', 'Payment is due.', 'quota'),
      failed(403, 'permission_error', 'Your key may not use this model.', 'auth'),
      failed(404, 'not_found_error', 'model: claude-demo', 'not-found'),
      failed(400, 'invalid_request_error', 'The model claude-demo-2.1 has been retired.', 'not-found'),
      failed(409, 'conflict_error', 'Try again.', 'unavailable'),
      failed(413, 'request_too_large', 'Request exceeds the maximum size', 'context-length'),
      failed(429, 'rate_limit_error', 'This request would exceed your rate limit.', 'rate-limit'),
      failed(500, 'api_error', 'Internal server error', 'unavailable'),
      failed(504, 'timeout_error', 'Request timed out', 'timeout'),
      failed(529, 'overloaded_error', 'Overloaded', 'overloaded'),
      { status: 529, body: '', kind: 'overloaded' },
    ],
  })
  t.end()
})

function failed(status: number, type: string, message: string, kind: ProviderFailure['kind']) {
  return { status, body: JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_demo' }), kind }
}

t.test('a failure tells the sentence, the status, the code and the raw body', t => {
  const { body } = failed(400, 'invalid_request_error', 'prompt is too long: 3 tokens > 2 maximum', 'context-length')
  const { message, status, code, upstream, retryAfterMs } = adapter.failure(400, {}, body)
  t.match(
    { message, status, code, upstream, retryAfterMs },
    {
      message: 'prompt is too long: 3 tokens > 2 maximum',
      status: 400,
      code: undefined,
      upstream: body,
      retryAfterMs: undefined,
    },
  )
  t.equal(adapter.failure(429, { 'retry-after': '1.5' }, '').retryAfterMs, 1500)
  t.equal(
    adapter.failure(400, {}, failed(400, 'invalid_request_error', 'Could not process image', 'invalid-request').body).code,
    'image_parse_error',
  )
  t.equal(adapter.failure(502, {}, '<html>').message, 'The provider answered with status 502.')
  t.end()
})

const schemaFile = resolve(import.meta.dirname, '../../../../shared/wire-schemas/anthropic.messages.schema.json')

t.test('every request is one that the vendor publishes', { skip: !existsSync(schemaFile) && `no vendor schema at ${schemaFile}` }, t => {
  const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as { $defs: Record<string, { properties: object }> }
  const ajv = new Ajv2020({ strict: false }).addSchema(schema, 'vendor')
  // The published schema is of the version that dropped the sampling parameters; the default version has them.
  const members = new Set([...Object.keys(schema.$defs['MessageCreateParamsStreaming']!.properties), 'temperature', 'top_p'])
  for (const { name, request, beta } of [...requests, ...replies])
    for (const stream of [true, false]) {
      if (beta) continue
      const body = JSON.parse(String(adapter.prepare(providerCall({ ...request, stream })).body)) as object
      const validate = ajv.getSchema(`vendor#/$defs/MessageCreateParams${stream ? 'Streaming' : 'NonStreaming'}`)!
      t.ok(validate(body), `${name}: ${ajv.errorsText(validate.errors)}`)
      t.strictSame(
        Object.keys(body).filter(member => !members.has(member)),
        [],
        `${name} has no unknown members`,
      )
    }
  t.end()
})

t.test('a request goes to one address with the version, and the betas it takes', t => {
  const { method, url, headers } = adapter.prepare(providerCall(requests[0]!.request))
  t.strictSame({ method, url }, { method: 'POST', url: 'https://api.example.com/v1/messages' })
  t.strictSame(headers, { 'anthropic-version': '2023-06-01', 'content-type': 'application/json', accept: 'application/json' })
  const withBetas = messagesAdapter({ traits: claude, version: '2026-10-21', betas: ['files-api-2025-04-14'] })
  const compacted = requests.find(({ beta }) => beta)!
  t.match(withBetas.prepare(providerCall(compacted.request)).headers, {
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'files-api-2025-04-14,compact-2026-01-12',
  })
  t.end()
})

t.test('a platform puts version and betas where it wants them, and may have no system turns', t => {
  const platform = messagesAdapter({
    traits: claude,
    url: ({ endpoint }) => `https://cloud.example.com/${endpoint.upstreamModel}:rawPredict`,
    envelope: (message, version, betas) => ({
      headers: {},
      body: { ...message, model: undefined, anthropic_version: version, anthropic_beta: betas },
    }),
    systemTurns: false,
    betas: ['demo'],
  })
  const { url, body, headers } = platform.prepare(providerCall(requests.find(({ name }) => name === 'system-turns')!.request))
  t.equal(url, 'https://cloud.example.com/claude-opus-4-8:rawPredict')
  t.notOk(Object.keys(headers).some(name => name.startsWith('anthropic')))
  const sent = JSON.parse(String(body)) as { messages: { role: string }[] }
  t.match(sent, { anthropic_version: '2023-06-01', anthropic_beta: ['demo'], model: undefined })
  t.strictSame(
    sent.messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
  t.end()
})

t.test('an error inside the stream fails with what was said before', async t => {
  const { request, stream } = replies.find(({ name }) => name === 'text')!
  const body = sse([
    ...stream.slice(0, 5),
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as { type: string },
  ])
  const { events, failure } = await replay(adapter, providerCall({ ...request, stream: true }), { pieces: [Buffer.from(body)] })
  t.match(failure, { kind: 'overloaded', message: 'Overloaded', status: undefined })
  t.equal(events.filter(({ type }) => type === 'text').length, 2)
})

/** A stream of 800 words. `first`: the usage of its start, `last`: that of its end. */
function streamOf(first: object, last?: object): string {
  const events: { readonly type: string; readonly [member: string]: unknown }[] = [
    { type: 'message_start', message: { type: 'message', model: 'claude-demo', content: [], usage: first } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello '.repeat(800) } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last },
    { type: 'message_stop' },
  ]
  return sse(events)
}

const withoutOutput: readonly (object | undefined)[] = [{}, { input_tokens: 40 }, { input_tokens: 40, output_tokens: null }, undefined]

t.test('the end of a stream reports the output only if the vendor does', async t => {
  const read = async (first: object, last?: object): Promise<readonly (number | string)[]> => {
    const pieces = [Buffer.from(streamOf(first, last))]
    const { events, failure } = await replay(adapter, providerCall({ ...requests[0]!.request, stream: true }), { pieces })
    t.equal(failure, undefined)
    return events.map(event => (event.type === 'usage' ? event.usage.output : event.type))
  }
  for (const last of withoutOutput) t.same(await read({ input_tokens: 40, output_tokens: 1 }, last), ['model', 1, 'text', 'finish'])
  t.same(await read({ input_tokens: 40 }, { output_tokens: 0 }), ['model', 0, 'text', 0, 'finish'])
  t.same(await read({ input_tokens: 40, output_tokens: 1 }, { output_tokens: 800 }), ['model', 1, 'text', 800, 'finish'])
})

t.test('output that the end of a stream does not report is counted', async t => {
  let stream = ''
  const upstream = await fakeUpstream(() => ({ headers: { 'content-type': 'text/event-stream' }, body: stream }))
  t.teardown(() => upstream.close())
  const under = await gateway({ plugins: [anthropic({ baseUrl: upstream.url, apiKey: 'sk-demo' })] })
  t.teardown(under.stop)
  const answer = async (first: object, last?: object): Promise<TokenUsage> => {
    stream = streamOf(first, last)
    const { requestId, response } = await ask(under, { model: 'anthropic/claude-demo', stream: true })
    t.equal(response['status'], 'completed')
    return (await under.record(requestId)).usage!
  }
  for (const last of withoutOutput)
    for (const output_tokens of [0, 1, 5]) {
      const { uncachedInput, output, estimated } = await answer({ input_tokens: 40, output_tokens }, last)
      t.same([uncachedInput, estimated], [40, true])
      t.ok(output >= 800 && output < 1_600, `${output} tokens`)
    }
  const { output, estimated } = await answer({ input_tokens: 40, output_tokens: 1 }, { output_tokens: 790 })
  t.same([output, estimated], [790, undefined])
})

t.test('an event that is no JSON is a breach of protocol', async t => {
  const { failure } = await replay(adapter, providerCall({ ...requests[0]!.request, stream: true }), {
    pieces: [Buffer.from('data: {oops\n\n')],
  })
  t.match(failure, { kind: 'protocol' })
})

t.test('an error as the body of a 200 is a failure', async t => {
  const pieces = [Buffer.from(failed(200, 'api_error', 'Sorry', 'unavailable').body)]
  const { failure } = await replay(adapter, providerCall(requests[0]!.request), { pieces })
  t.match(failure, { kind: 'unavailable', message: 'Sorry' })
})

t.test('the plugin registers a provider under its id, with the key as a header', async t => {
  const { plugin } = anthropic({})
  const added: { id: string; credentials?: readonly { id: string }[]; generate(call: unknown): AsyncIterable<GenerationEvent> }[] = []
  let sent: { url: string; headers: Record<string, string> } | undefined
  const http = {
    async send(request: typeof sent) {
      sent = request
      throw new ProviderFailure({ kind: 'network', message: 'not connected' })
    },
  }
  const options = {
    id: 'claude',
    apiKey: 'sk-demo-1',
    baseUrl: 'https://api.example.com/v1/',
    version: '2023-06-01',
    headers: { 'X-Demo': 'yes' },
  }
  t.equal(plugin.instance!(options), 'claude')
  await plugin.setup({ http, add: (_: unknown, provider: never) => added.push(provider) } as never, options, {})
  const [provider] = added
  t.equal(provider!.id, 'claude')
  const credentialId = provider!.credentials![0]!.id
  await t.rejects(provider!.generate(providerCall(requests[0]!.request, { credentialId }))[Symbol.asyncIterator]().next())
  t.match(sent, { url: 'https://api.example.com/v1/messages', headers: { 'x-api-key': 'sk-demo-1', 'x-demo': 'yes' } })
})
