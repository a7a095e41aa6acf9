import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { OpenRegistry } from '../../../core/framework/open-registry.ts'
import { ProviderFailure, Providers, type FailureKind, type GenerationEvent, type Provider, type Registrar } from '../../../core/index.ts'
import { ApiKeys, type HttpClient, type ProviderAdapter, type UpstreamHeaders, type UpstreamRequestBody } from '../../../core/kit.ts'
import { providerCall, providerSuite, replay, type ProviderExample } from '../../../core/testing/index.ts'
import { openaiChatAdapter } from '../../../plugins/providers/openai-chat/adapter.ts'
import { hosts, type Host, type HostName } from '../../../plugins/providers/openai-chat/hosts.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { ThinkTags } from '../../../plugins/providers/openai-chat/think-tags.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/openai-chat')
const keys = new ApiKeys('sk-demo-1')
const credentialId = keys.credentials![0]!.id
const upstreamModel = 'demo-model'
const hello = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }] as const

function adapterOf(host: HostName): ProviderAdapter {
  return openaiChatAdapter(hosts[host], 'https://chat.example.com/v1/', keys)
}

function load<T>(folder: string): (T & { readonly name: string })[] {
  const files = readdirSync(join(fixtures, folder)).filter(file => file.endsWith('.json'))
  return files.map(file => ({ name: file.slice(0, -5), ...(JSON.parse(readFileSync(join(fixtures, folder, file), 'utf8')) as T) }))
}

t.test('bodies', async t => {
  const validators: Partial<Record<HostName, Validate | undefined>> = { openai: openaiValidator(), openrouter: openrouterValidator() }
  for (const validate of Object.values(validators))
    if (validate) t.not(validate({ model: 'demo' }).length, 0, 'the schema refuses what is wrong')
    else t.comment('a published schema is not here: bodies are only compared')
  for (const { name, host, request, body } of load<BodyFixture>('bodies')) {
    const { url, body: sent } = adapterOf(host).prepare(providerCall(request, { endpoint: { upstreamModel } }))
    t.equal(url, 'https://chat.example.com/v1/chat/completions')
    t.strictSame(JSON.parse(String(sent)), body, name)
    if (host in validators) t.same(validators[host]?.(body) ?? [], [], `${name} is what the vendor documents`)
  }
})

interface BodyFixture {
  readonly host: HostName
  readonly request: UpstreamRequestBody
  readonly body: unknown
}

type Validate = (body: unknown) => readonly unknown[]

function openaiValidator(): Validate | undefined {
  return validatorOf('openai.responses-and-chat.schema.json', '#/$defs/CreateChatCompletionRequest')
}

function openrouterValidator(): Validate | undefined {
  return validatorOf('openrouter.openapi.json', '#/components/schemas/ChatRequest')
}

function validatorOf(name: string, path: string): Validate | undefined {
  const file = join(import.meta.dirname, '../../../../shared/wire-schemas', name)
  if (!existsSync(file)) return undefined
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: true })
  // OpenAPI's `nullable` is no JSON Schema; no body here relies on it.
  const schema = JSON.parse(readFileSync(file, 'utf8'), (name, value) => (name === 'nullable' ? undefined : (value as unknown))) as object
  ajv.addSchema(schema, name)
  const validate = ajv.getSchema(`${name}${path}`)!
  return body => (validate(body) ? [] : (validate.errors ?? []))
}

t.test('replies', async t => {
  for (const [host, all] of Map.groupBy(load<ReplyFixture>('replies'), ({ host }) => host)) {
    providerSuite(t, {
      adapter: adapterOf(host),
      examples: all.map(exampleOf),
      failures,
      secrets: ['sk-demo-1'],
      credentialId,
      unknownFrame: ': a comment\n\ndata: {"object":"demo.unknown"}\n\n',
    })
  }
})

function exampleOf({ name, request, events, reply, replyEvents }: ReplyFixture & { readonly name: string }): ProviderExample {
  return {
    name,
    request,
    endpoint: { upstreamModel },
    ...(events && { stream: { body: readFileSync(join(fixtures, 'replies', `${name}.sse`)), events } }),
    ...(reply !== undefined && { reply: { body: reply, events: replyEvents! } }),
  }
}

interface ReplyFixture {
  readonly host: HostName
  readonly request: UpstreamRequestBody
  readonly events?: readonly GenerationEvent[]
  readonly reply?: unknown
  readonly replyEvents?: readonly GenerationEvent[]
}

/** The shapes in which hosts say that something failed; written after their documents. */
const failures: readonly { status: number; headers?: UpstreamHeaders; body: string; kind: FailureKind; message?: string }[] = [
  { status: 400, body: '{"error":{"message":"Bad.","code":"context_length_exceeded"}}', kind: 'context-length', message: 'Bad.' },
  {
    status: 400,
    body: '{"error":{"code":400,"message":"the request","type":"exceed_context_size_error","n_ctx":1}}',
    kind: 'context-length',
  },
  { status: 400, body: '{"error":{"message":"Too long.","type":"too_many_prompt_tokens","code":400}}', kind: 'context-length' },
  { status: 400, body: '{"error":{"message":"This model\'s maximum context length is 8 tokens."}}', kind: 'context-length' },
  { status: 400, body: '{"error":"prompt too long; exceeded max context length by 9 tokens"}', kind: 'context-length' },
  { status: 400, body: '{"code":"invalid-argument","error":"Incorrect API key provided: sk-demo-1."}', kind: 'auth' },
  { status: 401, body: '{"detail":"Invalid API Key"}', kind: 'auth', message: 'Invalid API Key' },
  { status: 401, body: '{"message":"No API key found in request","request_id":"x"}', kind: 'auth' },
  { status: 402, body: '{"error":{"message":"Insufficient Balance"}}', kind: 'quota' },
  { status: 429, body: '{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}', kind: 'quota' },
  { status: 429, body: '{"error":{"message":"Limit of tokens per minute for this context length."}}', kind: 'rate-limit' },
  {
    status: 404,
    body: '{"code":"Some entity was not found","error":"The model is gone."}',
    kind: 'not-found',
    message: 'The model is gone.',
  },
  { status: 400, body: '{"error":{"code":400,"message":"demo/none is not a valid model ID"}}', kind: 'not-found' },
  { status: 400, body: '{"error":{"message":"No.","code":"content_policy_violation"}}', kind: 'refused' },
  {
    status: 403,
    body: '{"error":{"code":403,"message":"Provider returned error","metadata":{"raw":"{\\"error\\":\\"Content violates usage guidelines.\\"}"}}}',
    kind: 'refused',
    message: 'Content violates usage guidelines.',
  },
  { status: 400, body: '{"error":{"message":"Gone.","type":"invalid_request_error","code":"model_decommissioned"}}', kind: 'not-found' },
  { status: 400, body: '{"message":"No.","type":"invalid_request_error","param":null,"code":"model_not_available"}', kind: 'not-found' },
  { status: 403, body: '{"error":"The model demo-1 has been retired."}', kind: 'not-found' },
  { status: 409, body: '{"error":{"message":"Conflict."}}', kind: 'unavailable' },
  { status: 400, body: '{"error":{"message":"No.","code":"tool_use_failed"}}', kind: 'protocol' },
  { status: 413, body: '{"error":{"message":"Request too large.","code":"rate_limit_exceeded"}}', kind: 'context-length' },
  { status: 413, body: '{"error":{"message":"Too much.","code":"rate_limit_exceeded"}}', kind: 'context-length' },
  {
    status: 429,
    body: '{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.","code":"rate_limit_exceeded"}}',
    kind: 'context-length',
  },
  {
    status: 429,
    body: '{"error":{"message":"Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s.","code":"rate_limit_exceeded"}}',
    kind: 'rate-limit',
  },
  { status: 413, body: '<html>Too large</html>', kind: 'context-length', message: 'The provider answered with status 413.' },
  {
    status: 422,
    body: '{"detail":[{"loc":["body","messages"],"msg":"Field required"}]}',
    kind: 'invalid-request',
    message: 'body.messages: Field required',
  },
  { status: 400, body: '{"object":"error","message":"Too hot.","code":"3051"}', kind: 'invalid-request', message: 'Too hot.' },
  { status: 529, body: '', kind: 'overloaded' },
  { status: 498, body: '{"error":{"message":"Flex capacity exceeded."}}', kind: 'overloaded' },
  { status: 500, body: '{"error":{"code":500,"message":"invalid api key store"}}', kind: 'unavailable' },
]

t.test('what a failure says', async t => {
  const { failure } = adapterOf('openai')
  for (const { status, headers = {}, body, kind, message } of failures) {
    const failed = failure(status, headers, body)
    t.match(failed, { kind, status }, body)
    if (message !== undefined) t.equal(failed.message, message)
    t.equal(failed.code, undefined, 'the public code follows from the kind')
  }
  const refused = failure(401, {}, '{"error":{"message":"Incorrect API key provided: sk-demo-1.","code":"invalid_api_key"}}')
  t.notMatch(`${refused.message}${refused.upstream}`, /sk-demo/, 'a vendor that repeats the key does not give it away')
  const image = '{"error":{"message":"Cannot fetch it.","code":"invalid_image_url"}}'
  t.match(failure(400, {}, image), { code: 'invalid_image_url', upstream: image })
  t.equal(failure(429, { 'retry-after-ms': '1500', 'retry-after': '9' }, '').retryAfterMs, 1500)
  t.equal(failure(429, { 'retry-after': '0.5' }, '').retryAfterMs, 500)
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  t.equal(failure(503, { date, 'retry-after': 'Wed, 21 Oct 2026 07:28:07 GMT' }, '').retryAfterMs, 7000, 'a date counts from the reply')
  t.equal(failure(503, { 'retry-after': date }, '').retryAfterMs, undefined)
})

async function read(host: HostName, body: string): Promise<Awaited<ReturnType<typeof replay>>> {
  return replay(adapterOf(host), providerCall({ model: 'demo', input: hello, stream: true }), { pieces: [Buffer.from(body)] })
}

t.test('errors inside a stream', async t => {
  const begun = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
  const cases: readonly [HostName, string, object][] = [
    [
      'groq',
      'event: error\ndata: {"error":{"message":"Bad call.","type":"invalid_request_error","code":"tool_use_failed","status_code":400}}\n\n',
      { kind: 'protocol', status: 400, message: 'Bad call.' },
    ],
    [
      'openrouter',
      'data: {"error":{"code":502,"message":"Gone."},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\ndata: [DONE]\n\n',
      { kind: 'unavailable', status: 502, message: 'Gone.' },
    ],
    [
      'vllm',
      'data: {"object":"error","message":"Broken.","type":"server_error","code":500}\n\ndata: [DONE]\n\n',
      { kind: 'unavailable', message: 'Broken.' },
    ],
    ['compatible', 'data: {"error":"model is overloaded"}\n\n', { kind: 'overloaded', message: 'model is overloaded' }],
    ['compatible', 'data: {"error":{"message":"Too many requests"}}\n\n', { kind: 'rate-limit' }],
    [
      'deepseek',
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}\n\ndata: [DONE]\n\n',
      { kind: 'overloaded' },
    ],
    ['vllm', 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}\n\ndata: [DONE]\n\n', { kind: 'unavailable' }],
    ['openai', 'data: {"choices":[{"ind\n\n', { kind: 'protocol' }],
  ]
  for (const [host, error, expected] of cases) {
    const { events, failure } = await read(host, begun + error)
    t.ok(ProviderFailure.is(failure), error)
    t.match(failure, expected)
    t.same(events, [{ type: 'text', text: 'Hi' }], 'what was said before still counts')
  }
  const { failure } = await replay(adapterOf('openrouter'), providerCall({ model: 'demo', input: hello }), {
    pieces: [Buffer.from('{"choices":[{"index":0,"error":{"code":429,"message":"Slow down"}}]}')],
  })
  t.match(failure, { kind: 'rate-limit', message: 'Slow down' })
})

t.test('ends', async t => {
  const hi = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
  const stop = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
  const finishes = async (host: HostName, body: string): Promise<boolean> => {
    const { events, failure } = await read(host, body)
    if (failure) t.match(failure, { kind: 'protocol', message: /before it was complete/ })
    return events.some(({ type }) => type === 'finish')
  }
  t.notOk(await finishes('openai', hi), 'neither a reason nor [DONE]: cut')
  t.ok(await finishes('cerebras', `${hi}${stop}`), 'a reason in a last event without a blank line')
  t.notOk(await finishes('cerebras', `${hi}${stop.slice(0, -2)}`), 'half an event')
  t.notOk(await finishes('together', `${hi}${stop}\n\n`), 'where a reason may come early only [DONE] is the end')
  t.notOk(
    await finishes('openrouter', 'data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}\n\ndata: [DONE]\n\n'),
    'nothing said',
  )
  t.notOk(await finishes('openai', 'data: [DONE]\n\n'), 'nothing at all')
  for (const host of ['openai', 'compatible', 'together'] as const)
    t.notOk(await finishes(host, `${hi}data: [DONE]\n\n`), 'text without a reason: a proxy has closed what broke off')
})

t.test('white space around tags is dropped, and a lot of it is the answer', async t => {
  const said = (...pieces: readonly string[]): readonly string[] => {
    const heard: string[] = []
    const tags = new ThinkTags({ reasoning: text => heard.push(`thought ${text}`), text: text => heard.push(text) })
    for (const piece of pieces) tags.push(piece, () => {})
    return heard
  }
  t.same(said('\n\n', ' <think>', ' so', '  ', '</think>', '\n\n', 'Hi'), ['thought so', 'Hi'])
  const blank = ' '.repeat(200)
  t.same(said(blank, blank, blank, 'Hi'), [blank + blank, blank, 'Hi'], 'it does not wait for what may follow')
  t.same(said('<think>so', blank, blank, blank), ['thought so', `thought ${blank}${blank}`])
})

t.test('input that the protocol cannot carry is refused by name', async t => {
  const refuse = (host: HostName, item: object, words: RegExp): void => {
    const request = { model: 'demo', input: [item] } as unknown as UpstreamRequestBody
    const [subject] = (item as { readonly content?: readonly object[] }).content ?? [item]
    t.throws(() => adapterOf(host).prepare(providerCall(request)), { kind: 'invalid-request', message: words, subject })
  }
  const content = (part: object): object => ({ type: 'message', role: 'user', content: [part] })
  refuse('openai', { type: 'shell_call', call_id: 'x' }, /Items of type shell_call cannot be sent/)
  refuse('openai', { type: 'compaction', encrypted_content: 'x' }, /compaction/)
  refuse('openai', content({ type: 'input_image', file_id: 'file-demo' }), /input_image has no image_url/)
  refuse('openai', content({ type: 'input_file', file_url: 'https://example.com/a.pdf' }), /needs file_data or file_id/)
  refuse('openrouter', content({ type: 'input_file', file_id: 'file-demo' }), /needs file_data or file_url/)
  refuse('groq', content({ type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0=' }), /does not accept files/)
})

t.test('the state of reasoning comes back as the bytes that were sent', async t => {
  const fixture = load<ReplyFixture>('replies').find(({ name }) => name === 'reasoning-summaries')!
  const { events } = await replay(adapterOf('openrouter'), providerCall({ ...fixture.request, stream: true }), {
    pieces: [readFileSync(join(fixtures, 'replies/reasoning-summaries.sse'))],
  })
  const opaque = events.flatMap(event => (event.type === 'reasoning-state' ? event.opaque : []))
  const input = opaque.map(encrypted_content => ({ type: 'reasoning', encrypted_content }))
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'AB' }] }
  const request = { model: 'demo', input: [...hello, input[0], said, input[1]] } as unknown as UpstreamRequestBody
  const body = String(adapterOf('openrouter').prepare(providerCall(request)).body)
  t.ok(body.includes(opaque.map(state => state.slice(1, -1)).join(',')))
})

t.test('hosts', async t => {
  for (const [name, host] of Object.entries<Host>(hosts)) {
    if (host.baseUrl !== undefined) t.match(new URL(host.baseUrl).protocol, /^https?:$/, name)
    t.equal(host.keyVariable === undefined, host.baseUrl === undefined || host.baseUrl.startsWith('http://127.0.0.1'), name)
  }
})

t.test('the plugin', async t => {
  const use = async (options: Parameters<typeof openaiChat>[0]): Promise<{ provider: Provider; request: () => Promise<unknown> }> => {
    const { plugin, options: given } = openaiChat(options)
    const providers = new OpenRegistry<Provider>('provider', ({ id }: Provider) => id)
    let sent: unknown
    const http: HttpClient = {
      async send(request) {
        sent = request
        throw new ProviderFailure({ kind: 'network', message: 'down' })
      },
      media: () => Promise.reject(new Error('nothing is fetched here')),
      async close() {},
    }
    const registrar = {
      name: 'openai-chat',
      http,
      add: (point: unknown, provider: Provider) => (t.equal(point, Providers), providers.add(provider, 'test')),
    }
    await plugin.setup(registrar as unknown as Registrar, { host: 'openai', ...given }, {})
    const provider = [...providers.values()][0]!
    const request = async (): Promise<unknown> => {
      const call = providerCall({ model: 'demo', input: hello }, { credentialId: provider.credentials?.[0]?.id })
      await provider
        .generate(call)
        [Symbol.asyncIterator]()
        .next()
        .catch(() => {})
      return sent
    }
    return { provider, request }
  }
  const openai = await use({ apiKey: ['sk-demo-1', 'sk-demo-2'], headers: { 'X-Team': 'demo' }, timeouts: { totalMs: 5 } })
  t.match(openai.provider, { id: 'openai', timeouts: { totalMs: 5 } })
  t.equal(openai.provider.credentials?.length, 2)
  t.match(await openai.request(), {
    url: 'https://api.openai.com/v1/chat/completions',
    headers: { authorization: 'Bearer sk-demo-1', 'x-team': 'demo', 'content-type': 'application/json' },
  })
  const local = await use({ host: 'ollama', id: 'mine' })
  t.match(local.provider, { id: 'mine', credentials: undefined })
  t.match(await local.request(), { url: 'http://127.0.0.1:11434/v1/chat/completions', headers: { authorization: undefined } })
  await t.rejects(use({ host: 'compatible' }), /needs the option baseUrl/)
  const { plugin } = openaiChat({ host: 'groq' })
  t.equal(plugin.instance?.({ host: 'groq' }), 'groq')
  t.equal(plugin.instance?.({ host: 'groq', id: 'fast' }), 'fast')
})
