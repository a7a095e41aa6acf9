import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { ProviderFailure, type Effort, type Endpoint, type GenerationEvent, type UpstreamRequestBody } from '../../../core/index.ts'
import { sseFrame } from '../../../core/testing/index.ts'
import { providerCall } from '../../../core/testing/provider-call.ts'
import { providerSuite } from '../../../core/testing/provider-suite.ts'
import { replay } from '../../../core/testing/replay.ts'
import { anthropicAdapter } from '../../../plugins/providers/anthropic/adapter.ts'
import anthropic from '../../../plugins/providers/anthropic/index.ts'
import { settingsFor } from '../../../plugins/providers/anthropic/settings.ts'

const adapter = anthropicAdapter({ url: () => 'https://api.example.com/v1/messages' })

interface RequestFixture {
  readonly name: string
  readonly request: UpstreamRequestBody
  readonly sent: Record<string, unknown>
  /** Only the beta API knows what is sent. */
  readonly beta?: boolean
}

interface ReplyFixture {
  readonly name: string
  readonly request: UpstreamRequestBody
  readonly stream: readonly (string | { readonly type: string })[]
  readonly streamed: readonly GenerationEvent[]
  readonly message?: object
  readonly whole?: readonly GenerationEvent[]
}

function fixtures<T>(folder: string): readonly T[] {
  const path = join(import.meta.dirname, '../../fixtures/anthropic', folder)
  return readdirSync(path).map(file => ({ name: file.replace('.json', ''), ...JSON.parse(readFileSync(join(path, file), 'utf8')) }) as T)
}

const requests = fixtures<RequestFixture>('requests')
const replies = fixtures<ReplyFixture>('replies')

function sse(events: ReplyFixture['stream']): string {
  return events.map(event => (typeof event === 'string' ? sseFrame(event) : sseFrame(event, event.type))).join('')
}

t.test('the suite of every provider', t => {
  providerSuite(t, {
    adapter,
    examples: [
      ...requests,
      ...replies.map(({ name, request, stream, streamed, message, whole }) => ({
        name,
        request,
        stream: { body: sse(stream), events: streamed },
        ...(message && whole && { reply: { body: message, events: whole } }),
      })),
    ],
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
      failed(413, 'request_too_large', 'Request exceeds the maximum size', 'invalid-request'),
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
      code: 'context_length_exceeded',
      upstream: body,
      retryAfterMs: undefined,
    },
  )
  t.equal(adapter.failure(429, { 'retry-after': '1.5' }, '').retryAfterMs, 1500)
  t.equal(adapter.failure(502, {}, '<html>').message, 'The provider answered with status 502.')
  t.end()
})

const schemaFile = resolve(import.meta.dirname, '../../../../shared/wire-schemas/anthropic.messages.schema.json')

t.test('every request is one that the vendor publishes', { skip: !existsSync(schemaFile) && `no vendor schema at ${schemaFile}` }, t => {
  const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as { $defs: Record<string, { properties: object }> }
  const ajv = new Ajv2020({ strict: false }).addSchema(schema, 'vendor')
  // The published schema is of the version that dropped the sampling parameters; the default version has them.
  const members = new Set([...Object.keys(schema.$defs['MessageCreateParamsStreaming']!.properties), 'temperature', 'top_p'])
  for (const { name, request, beta } of [...requests, ...(replies as readonly (ReplyFixture & { beta?: boolean })[])])
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
  const withBetas = anthropicAdapter({ url: () => 'https://api.example.com', version: '2026-10-21', beta: ['files-api-2025-04-14'] })
  const compacted = requests.find(({ beta }) => beta)!
  t.match(withBetas.prepare(providerCall(compacted.request)).headers, {
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'files-api-2025-04-14,compact-2026-01-12',
  })
  t.end()
})

t.test('a platform puts version and betas where it wants them, and may have no system turns', t => {
  const platform = anthropicAdapter({
    url: ({ endpoint }) => `https://cloud.example.com/${endpoint.upstreamModel}:rawPredict`,
    envelope: ({ model: _, ...body }, version, betas) => ({
      headers: {},
      body: { anthropic_version: version, anthropic_beta: betas, ...body },
    }),
    systemTurns: false,
    beta: ['demo'],
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

t.test('thinking takes the form that the model knows', t => {
  const adaptive = { type: 'adaptive', display: 'summarized' }
  const rows: readonly (readonly [model: string, effort: Effort | undefined, thinking: unknown, effort: string | undefined])[] = [
    ['claude-3-5-haiku-20241022', 'high', undefined, undefined],
    ['claude-3-7-sonnet-20250219', 'low', { type: 'enabled', budget_tokens: 6400 }, undefined],
    ['claude-opus-4-20250514', 'minimal', { type: 'enabled', budget_tokens: 3200 }, undefined],
    ['claude-haiku-4-5-20251001', 'max', { type: 'enabled', budget_tokens: 28_800 }, undefined],
    ['claude-haiku-4-5', 'none', undefined, undefined],
    ['claude-sonnet-4-6', 'minimal', adaptive, 'low'],
    ['claude-opus-4-6', 'xhigh', adaptive, 'max'],
    ['claude-opus-4-7', 'xhigh', adaptive, 'xhigh'],
    ['claude-opus-4-7', 'none', undefined, undefined],
    ['claude-sonnet-5', 'none', { type: 'disabled' }, undefined],
    ['claude-opus-5', 'medium', adaptive, 'medium'],
    ['claude-haiku-5-5', 'none', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
    ['claude-opus-5-5', 'none', undefined, 'low'],
    ['claude-fable-5', undefined, undefined, undefined],
    ['claude-opus-9', 'high', adaptive, 'high'],
    ['demo-model', 'high', { type: 'enabled', budget_tokens: 6553 }, undefined],
  ]
  for (const [model, effort, thinking, level] of rows) {
    const settings = settingsFor(call({ model, ...(effort && { reasoning: { effort } }) }))
    t.strictSame([settings.thinking, settings.effort], [thinking, level], `${model}, ${effort}`)
  }
  t.end()
})

t.test('the catalog and the limits have their say in thinking', t => {
  const catalog = (efforts: readonly Effort[]): Partial<Endpoint> => ({ capabilities: { efforts } })
  t.match(settingsFor(call({ model: 'claude-opus-4-6', reasoning: { effort: 'xhigh' } }, catalog(['low', 'xhigh']))), { effort: 'xhigh' })
  t.equal(settingsFor(call({ model: 'claude-haiku-4-5', reasoning: { effort: 'high' } }, catalog(['none']))).thinking, undefined)
  t.match(settingsFor(call({ model: 'claude-opus-5', reasoning: { effort: 'low' } }, { upstreamModel: 'our-deployment' })), {
    thinking: { type: 'adaptive' },
  })
  const small = settingsFor(call({ model: 'claude-haiku-4-5', reasoning: { effort: 'high' }, max_output_tokens: 1100 }))
  t.match([small.thinking, small.warnings], [undefined, [{ param: 'reasoning.effort' }]])
  const tight = settingsFor(call({ model: 'claude-haiku-4-5', reasoning: { effort: 'low' }, max_output_tokens: 1200 }))
  t.strictSame(tight.thinking, { type: 'enabled', budget_tokens: 1024 })
  t.match(settingsFor(call({ model: 'claude-opus-5', reasoning: { summary: 'auto' } })), { thinking: { display: 'summarized' } })
  t.equal(settingsFor(call({ model: 'claude-haiku-4-5', reasoning: { summary: 'auto' } })).thinking, undefined)
  t.end()
})

t.test('a tool loop that began without thoughts goes on without them, where the vendor wants them first', t => {
  const loop = (model: string, encrypted_content?: string) =>
    settingsFor(
      call({
        model,
        reasoning: { effort: 'high' },
        input: [
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
          { type: 'reasoning', ...(encrypted_content && { encrypted_content }) },
          { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'x' },
        ],
      }),
    ).thinking?.type
  t.equal(loop('claude-haiku-4-5'), undefined)
  t.equal(loop('claude-haiku-4-5', '{"signature":"c2ln","thinking":""}'), 'enabled')
  t.equal(loop('claude-opus-4-6'), 'adaptive')
  t.end()
})

t.test('a demand for a tool call goes before thinking, and falls away where the model refuses it', t => {
  const forced = (model: string) => {
    const body = bodyOf({ model, tools: [{ type: 'function', name: 'look' }], tool_choice: 'required', reasoning: { effort: 'high' } })
    return [body['tool_choice'], body['thinking'], body['output_config']]
  }
  t.strictSame(forced('claude-haiku-4-5'), [{ type: 'any' }, undefined, undefined])
  t.strictSame(forced('claude-opus-4-6'), [{ type: 'any' }, undefined, { effort: 'high' }])
  t.strictSame(forced('claude-opus-5-5'), [{ type: 'auto' }, { type: 'adaptive', display: 'summarized' }, { effort: 'high' }])
  t.end()
})

t.test('sampling parameters are sent as far as the model takes them', t => {
  const sampling = (model: string, more: Partial<UpstreamRequestBody>) => {
    const { temperature, topP, warnings } = settingsFor(call({ model, ...more }))
    return [temperature, topP, warnings.map(({ param }) => param).join()]
  }
  t.strictSame(sampling('claude-3-7-sonnet', { temperature: 0.2, top_p: 0.5 }), [0.2, 0.5, ''])
  t.strictSame(sampling('claude-sonnet-4-5', { temperature: 0.2, top_p: 0.5 }), [0.2, undefined, 'top_p'])
  t.strictSame(sampling('claude-sonnet-4-5', { top_p: 0.5 }), [undefined, 0.5, ''])
  t.strictSame(sampling('claude-sonnet-4-5', { temperature: 2 }), [1, undefined, 'temperature'])
  t.strictSame(sampling('claude-opus-4-7', { temperature: 0.2, top_p: 0.5 }), [undefined, undefined, 'temperature,top_p'])
  t.strictSame(sampling('claude-sonnet-4-5', { temperature: 0.2, top_p: 0.5, reasoning: { effort: 'low' } }), [
    undefined,
    undefined,
    'temperature,top_p',
  ])
  t.end()
})

t.test('the output limit is the least of what is wanted and what is possible', t => {
  const limit = (model: string, wanted: number | undefined, ceiling: number | undefined, fallback?: number) =>
    settingsFor(
      call(
        { model, ...(wanted !== undefined && { max_output_tokens: wanted }) },
        ceiling === undefined ? {} : { maxOutputTokens: ceiling },
      ),
      fallback,
    ).maxTokens
  t.equal(limit('claude-sonnet-4-5', 100, 64_000), 100)
  t.equal(limit('claude-sonnet-4-5', undefined, 64_000), 64_000)
  t.equal(limit('claude-sonnet-4-5', 100_000, 64_000), 64_000)
  t.equal(limit('claude-sonnet-4-5', undefined, undefined, 500), 500)
  t.equal(limit('claude-sonnet-4-5', undefined, undefined), 32_000)
  t.equal(limit('demo-model', undefined, undefined), 8192)
  t.end()
})

t.test('tool choices', t => {
  const tools: UpstreamRequestBody['tools'] = [
    { type: 'function', name: 'look' },
    { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] },
  ]
  const chosen = (tool_choice: UpstreamRequestBody['tool_choice'], parallel_tool_calls?: boolean) => {
    const body = bodyOf({
      model: 'claude-haiku-4-5',
      tools,
      ...(tool_choice && { tool_choice }),
      ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
    })
    return [body['tool_choice'], (body['tools'] as { name: string }[] | undefined)?.map(({ name }) => name)]
  }
  const both = ['look', 'crm__find']
  t.strictSame(chosen(undefined), [undefined, both])
  t.strictSame(chosen('auto'), [{ type: 'auto' }, both])
  t.strictSame(chosen('none', false), [{ type: 'none' }, both])
  t.strictSame(chosen(undefined, false), [{ type: 'auto', disable_parallel_tool_use: true }, both])
  t.strictSame(chosen(undefined, true), [undefined, both])
  t.strictSame(chosen({ type: 'function', name: 'find' }), [{ type: 'tool', name: 'crm__find' }, both])
  t.strictSame(chosen({ type: 'custom', name: 'other' }), [{ type: 'tool', name: 'other' }, both])
  t.strictSame(chosen({ type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'find' }] }), [
    { type: 'any' },
    ['crm__find'],
  ])
  t.strictSame(chosen({ type: 'allowed_tools', mode: 'auto', tools: [] }), [undefined, undefined])
  t.strictSame(chosen({ type: 'web_search' }), [{ type: 'auto' }, both])
  t.end()
})

t.test('what the dialect cannot say is the fault of the request', t => {
  const refused = (input: UpstreamRequestBody['input'], message: RegExp) => {
    try {
      bodyOf({ model: 'claude-haiku-4-5', input })
      t.fail('it was taken')
    } catch (error) {
      t.ok(ProviderFailure.is(error))
      t.match(error, { kind: 'invalid-request', message })
    }
  }
  refused([{ type: 'shell_call' }], /shell_call/)
  refused([{ type: 'item_reference', id: 'msg_1' }], /item_reference/)
  refused([{ type: 'message', role: 'user', content: [{ type: 'input_image' }] }], /input_image/)
  refused([{ type: 'message', role: 'user', content: [{ type: 'input_file', filename: 'a.docx', file_data: 'eA==' }] }], /\.docx/)
  refused(
    [{ type: 'message', role: 'assistant', content: [{ type: 'input_image', image_url: 'https://images.example.com/a.png' }] }],
    /input_image/,
  )
  t.end()
})

t.test('state of unknown make is left out', t => {
  const body = bodyOf({
    model: 'claude-haiku-4-5',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      { type: 'reasoning', encrypted_content: 'gAAAA' },
      { type: 'reasoning', encrypted_content: '{"other":1}' },
      { type: 'reasoning', encrypted_content: '{broken' },
      { type: 'compaction', encrypted_content: 'gAAAA' },
    ],
  })
  t.strictSame(body['messages'], [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }])
  t.end()
})

t.test('unknown members reach this dialect from this dialect only', t => {
  const fields = { top_k: 5, model: 'other' }
  t.match(bodyOf({ model: 'claude-haiku-4-5', extra: { dialect: 'anthropic-messages', fields } }), { top_k: 5, model: 'claude-haiku-4-5' })
  t.equal(bodyOf({ model: 'claude-haiku-4-5', extra: { dialect: 'openai-responses', fields } })['top_k'], undefined)
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

function call(request: Partial<UpstreamRequestBody> & { readonly model: string }, endpoint: Partial<Endpoint> = {}) {
  const input: UpstreamRequestBody['input'] = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }]
  return providerCall({ input, ...request }, { endpoint })
}

function bodyOf(request: Partial<UpstreamRequestBody> & { readonly model: string }): Record<string, unknown> {
  return JSON.parse(String(adapter.prepare(call(request)).body)) as Record<string, unknown>
}
