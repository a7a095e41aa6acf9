import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import type { UpstreamRequestBody } from '../../../core/kit.ts'
import { checkEvents, fakeUpstream, providerCall, providerSuite, readEvents, replay, type FakeReply } from '../../../core/testing/index.ts'
import { ollamaAdapter } from '../../../plugins/providers/ollama/adapter.ts'
import ollama from '../../../plugins/providers/ollama/index.ts'
import { modelList } from '../../../plugins/providers/ollama/model-list.ts'
import { gateway } from '../../kit/gateway.ts'
import { fixtures } from './fixtures.ts'
import { checkAgainstMock } from './mock-server.ts'

const url = 'http://localhost.example.com/api/chat'
const adapter = ollamaAdapter({ url })
const { requests, replies, examples } = fixtures('ollama', lines)

function lines(replies: readonly unknown[]): string {
  return replies.map(reply => `${JSON.stringify(reply)}\n`).join('')
}

t.test('the suite of every provider', t => {
  providerSuite(t, {
    adapter,
    examples,
    failures: [
      failed(400, '"demo" does not support thinking', 'invalid-request'),
      failed(400, 'the input length exceeds the context length', 'context-length'),
      failed(400, 'prompt too long; exceeded max context length by 12 tokens', 'context-length'),
      failed(401, 'unauthorized', 'auth'),
      failed(402, 'this model requires a subscription', 'quota'),
      failed(403, 'remote model is unavailable', 'auth'),
      failed(404, "model 'demo' not found", 'not-found'),
      failed(429, 'you have reached your hourly usage limit', 'rate-limit'),
      failed(499, 'request canceled', 'unavailable'),
      failed(500, 'model requires more system memory (9.1 GiB) than is available (2.2 GiB)', 'unavailable'),
      failed(503, 'server busy, please try again. maximum pending requests exceeded', 'overloaded'),
      { status: 502, body: '<html>Bad gateway</html>', kind: 'unavailable' },
    ],
  })
  t.end()
})

function failed(status: number, error: string, kind: ReturnType<typeof adapter.failure>['kind']) {
  return { status, body: JSON.stringify({ error }), kind }
}

const schemaFile = resolve(import.meta.dirname, '../../../../shared/wire-schemas/ollama.openapi.json')

t.test('every request is one that the vendor publishes', { skip: !existsSync(schemaFile) && `no vendor schema at ${schemaFile}` }, t => {
  const { components } = JSON.parse(readFileSync(schemaFile, 'utf8')) as { readonly components: { readonly schemas: JsonObject } }
  const $defs = Object.fromEntries(Object.entries(components.schemas).map(([name, schema]) => [name, closed(name, schema)]))
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({ $ref: '#/$defs/ChatRequest', $defs })
  for (const { name, request } of [...requests, ...replies]) {
    const { keep_alive: _, ...body } = JSON.parse(String(adapter.prepare(providerCall(request)).body)) as JsonObject
    t.ok(validate(body), `${name}: ${JSON.stringify(validate.errors)}`)
  }
  t.end()
})

/** Members that the server takes and its published schema leaves out: `api/types.go`, ChatRequest, Message and ToolCall. */
const unpublished: Readonly<Record<string, JsonObject>> = {
  ChatRequest: { truncate: { type: 'boolean' }, shift: { type: 'boolean' } },
  ChatMessage: { thinking: { type: 'string' }, tool_name: { type: 'string' }, tool_call_id: { type: 'string' } },
  ToolCall: { id: { type: 'string' } },
}

function closed(name: string, schema: unknown): JsonObject {
  const { properties, ...rest } = JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')) as JsonObject
  return properties ? { additionalProperties: false, ...rest, properties: { ...(properties as JsonObject), ...unpublished[name] } } : rest
}

t.test("the operator's options go with every request, and the caller's go before them", t => {
  const own = ollamaAdapter({ url, keepAlive: '30m', modelOptions: { num_ctx: 16_384, temperature: 0.1 } })
  const bodyOf = (more: Partial<UpstreamRequestBody>) =>
    JSON.parse(String(own.prepare(providerCall({ model: 'demo', input: [], ...more })).body))
  t.match(bodyOf({}), { keep_alive: '30m', options: { num_ctx: 16_384, temperature: 0.1 } })
  t.match(bodyOf({ temperature: 0.9 }), { options: { num_ctx: 16_384, temperature: 0.9 } })
  t.end()
})

t.test('a line that tells an error is a failure, after what had been said', async t => {
  const call = providerCall({ model: 'demo', stream: true, input: [] })
  const said = { message: { content: 'Hm' }, done: false }
  const after = async (line: unknown) => replay(adapter, call, { pieces: [Buffer.from(lines([said, line]))] })
  const broken = await after({ error: 'an error was encountered while running the model' })
  t.strictSame(broken.events, [{ type: 'text', text: 'Hm' }])
  t.match(broken.failure, { kind: 'unavailable', message: 'an error was encountered while running the model' })
  t.match((await after({ error: { message: 'server busy' } })).failure, { kind: 'overloaded' })
  t.match((await after('no reply')).failure, undefined)
  const cut = await replay(adapter, call, { pieces: [Buffer.from('<html>\n')] })
  t.match(cut.failure, { kind: 'protocol', message: 'The provider sent an event that is not JSON.' })
  const loaded = await replay(adapter, call, { pieces: [Buffer.from(lines([{ message: {}, done: true, done_reason: 'load' }]))] })
  t.notOk(
    loaded.events.some(({ type }) => type === 'finish'),
    'a model that was only loaded has said nothing',
  )
})

t.test('a model that is not there may have to be fetched', t => {
  t.equal(
    adapter.failure(404, {}, '{"error":"model \'demo\' not found"}').message,
    'model \'demo\' not found: fetch it with "ollama pull" first.',
  )
  const told = 'model "demo" not found, try pulling it first'
  t.equal(adapter.failure(404, {}, JSON.stringify({ error: told })).message, told)
  t.end()
})

t.test('input that the vendor cannot take is refused with advice', t => {
  const refused = (part: JsonObject, message: RegExp, role = 'user') => {
    const input = [{ type: 'message', role, content: [part] }] as unknown as UpstreamRequestBody['input']
    t.throws(() => adapter.prepare(providerCall({ model: 'demo', input })), { kind: 'invalid-request', message })
  }
  refused({ type: 'input_file', file_id: 'file_1', filename: 'a.txt' }, /"a.txt" is referenced by file_id.*Send its file_data/)
  refused({ type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' }, /"a.pdf" is not a text file/)
  refused({ type: 'input_file', file_data: 'data:text/plain;base64,/w==', filename: 'a.txt' }, /is not a text file/)
  refused({ type: 'input_image', file_id: 'file_1' }, /does not store files/)
  refused({ type: 'input_image', image_url: 'data:image/png;base64' }, /Expected data:image/)
  refused({ type: 'input_image', image_url: 'data:image/png;base64,AA' }, /in a user message/, 'assistant')
  const compaction = [{ type: 'compaction', encrypted_content: 'x' }] as UpstreamRequestBody['input']
  t.throws(() => adapter.prepare(providerCall({ model: 'demo', input: compaction })), { message: /Items of type compaction/ })
  t.end()
})

const tags = {
  models: [
    { name: 'llama3.2:latest', digest: 'a1', modified_at: '2026-01-02T03:04:05Z' },
    { name: 'gpt-oss:20b', digest: 'a2' },
    { name: 'nomic-embed-text:latest', digest: 'a3' },
    { name: 'gpt-oss:120b-cloud', digest: 'a4', remote_host: 'https://ollama.example.com' },
    { name: 'old:7b', digest: 'a5' },
  ],
}
const shown: Readonly<Record<string, readonly string[] | undefined>> = {
  'llama3.2:latest': ['completion', 'tools'],
  'gpt-oss:20b': ['completion', 'tools', 'thinking'],
  'nomic-embed-text:latest': ['embedding'],
  'gpt-oss:120b-cloud': ['completion', 'thinking', 'vision'],
}

/** A server with these models that says "Hi." */
function server(models: () => FakeReply) {
  return fakeUpstream(({ url, body }) => {
    if (url === '/api/tags') return models()
    if (url === '/api/show') return { body: JSON.stringify({ capabilities: shown[String((body as JsonObject)['model'])] }) }
    return { body: lines([{ message: { content: 'Hi.' }, done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 }]) }
  })
}

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

t.test('the models of the server are in the catalog', async t => {
  const upstream = await server(() => ({ body: JSON.stringify(tags) }))
  t.teardown(() => upstream.close())
  const { request, stop } = await gateway({
    plugins: [ollama({ baseUrl: `${upstream.url}/api`, modelOptions: { num_ctx: 8192 }, headers: { 'x-demo': 'yes' } })],
  })
  t.teardown(stop)
  const listed = async (): Promise<readonly JsonObject[]> => {
    const { data } = (await (await request('/v1/models')).json()) as { readonly data: readonly JsonObject[] }
    return data.filter(({ id }) => !String(id).startsWith('sandbox/') && shown[String(id)])
  }
  while ((await listed()).length === 0) await new Promise(setImmediate)
  t.strictSame(
    (await listed()).map(({ id }) => id),
    ['llama3.2:latest', 'gpt-oss:20b', 'gpt-oss:120b-cloud'],
  )
  const answer = await request('/v1/responses', { method: 'POST', body: { model: 'llama3.2', input: 'Hello', stream: true } })
  t.match(checkEvents(readEvents(await answer.text())).response, { status: 'completed', output: [{ content: [{ text: 'Hi.' }] }] })
  const sent = upstream.requests.at(-1)!
  t.match(sent.body, { model: 'llama3.2:latest', options: { num_ctx: 8192 } })
  t.ok(upstream.requests.every(({ headers }) => headers['x-demo'] === 'yes'))
})

t.test('what is known of them, and what a silent server leaves of it', async t => {
  let reply: FakeReply = { body: JSON.stringify(tags) }
  const upstream = await server(() => reply)
  t.teardown(() => upstream.close())
  const { UndiciClient } = await import('../../../core/upstream/http-client.ts')
  const http = new UndiciClient()
  t.teardown(() => http.close())
  let warnings = 0
  const log = { ...silent, warn: () => void (warnings += 1) }
  const list = modelList({ provider: 'mine', baseUrl: upstream.url, headers: {}, everyMs: 1000, contextWindow: 4096, http, log })
  let changes = 0
  list.onChange(() => (changes += 1))
  await list.refresh()
  const local = { price: { input: 0, output: 0 }, contextWindow: 4096, provider: 'mine' }
  t.match(list.entries(), [
    {
      model: 'llama3.2:latest',
      aliases: ['llama3.2'],
      created: 1_767_323_045,
      auto: false,
      endpoints: [{ ...local, capabilities: { tools: true, images: false, efforts: ['none'] } }],
    },
    { model: 'gpt-oss:20b', aliases: [], created: 0, endpoints: [{ capabilities: { efforts: ['low', 'medium', 'high'] } }] },
    { model: 'gpt-oss:120b-cloud', endpoints: [{ price: undefined, capabilities: { tools: false, images: true } }] },
    { model: 'old:7b', endpoints: [{ ...local, capabilities: {} }] },
  ])
  t.equal(list.entries().length, 4, 'a model of embeddings is none')
  const asked = upstream.requests.length
  await list.refresh()
  t.strictSame([changes, upstream.requests.length - asked], [1, 2], 'nothing changed; only what was not told is asked again')

  for (const broken of [{ status: 500, body: '{}' }, { body: '<html>' }, { body: '{"models":7}' }, { body: 'null' }]) {
    reply = broken
    await list.refresh()
  }
  t.strictSame([changes, warnings, list.entries().length], [1, 1, 4], 'the list stays, and one line says so')
  reply = { body: JSON.stringify({ models: tags.models.slice(0, 1) }) }
  await list.refresh()
  t.strictSame([changes, list.entries().length], [2, 1])
  await list.stop()
})

t.test('a server that cannot be reached fails no start', async t => {
  const { request, stop } = await gateway({ plugins: [ollama({ baseUrl: 'http://127.0.0.1:1' })] })
  t.teardown(stop)
  const answer = await request('/v1/responses', { method: 'POST', body: { model: 'ollama/llama3.2', input: 'Hello' } })
  t.equal(answer.status, 424)
})

t.test('against a server that others wrote', t =>
  checkAgainstMock(t, 'demo', options => ollama({ ...options, listModels: options.id === 'sound' })),
)
