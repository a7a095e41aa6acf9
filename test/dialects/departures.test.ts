import t from 'tap'
import type { GenerationEvent, JsonObject } from '../../core/index.ts'
import { ApiKeys, type UpstreamRequestBody } from '../../core/kit.ts'
import { fakeUpstream, providerCall, providerSuite, replay, sseFrame, testGateway } from '../../core/testing/index.ts'
import {
  chatAdapter,
  chatProvider,
  messagesAdapter,
  responsesAdapter,
  type ChatHost,
  type MessagesHost,
  type ResponsesHost,
} from '../../dialects/index.ts'
import chat from '../../plugins/endpoints/chat/index.ts'
import responses from '../../plugins/endpoints/responses/index.ts'
import models from '../../plugins/endpoints/models/index.ts'
import localSealer from '../../plugins/sealers/local/index.ts'
import memory from '../../plugins/stores/memory/index.ts'

const keys = new ApiKeys('sk-demo-dialects')
const credentialId = keys.credentials![0]!.id
const baseUrl = 'https://llm.example.com/v3'
const hello: UpstreamRequestBody = {
  model: 'demo',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
}
const counted = (usage: object): GenerationEvent => ({
  type: 'usage',
  usage: { uncachedInput: 10, cacheRead: 4, cacheWrite5m: 1, cacheWrite1h: 0, output: 7, reasoning: 2, ...usage },
})
const model: GenerationEvent = { type: 'model', model: 'demo' }
const said: GenerationEvent = { type: 'text', text: 'Hello.' }
const stop: GenerationEvent = { type: 'finish', reason: 'stop' }
const length: GenerationEvent = { type: 'finish', reason: 'length' }

/** The counts of all hosts below, in words that no dialect has. */
const usage = { at: 'bill', input: 'in.fresh', output: 'out', cacheRead: 'in.kept', cacheWrite: 'in.put', reasoning: 'mused' } as const
const bill = { in: { fresh: 10, kept: 4, put: 1 }, out: 5, mused: 2 }
const excluding = { ...usage, inputExcludesCache: true, outputExcludesReasoning: true } as const
const fault = {
  at: 'fault',
  message: 'text',
  code: 'no',
  codes: { 7: 'quota', busy: 'overloaded' },
  wordings: [[/too long/, 'context-length']],
} as const
const failures = [
  { status: 400, body: '{"fault":{"no":7,"text":"Pay first."}}', kind: 'quota' },
  { status: 400, body: '{"fault":{"text":"That is too long."}}', kind: 'context-length' },
  { status: 503, body: '<html>', kind: 'overloaded' },
] as const
const busy = { fault: { no: 'busy', text: 'Later.' } }

function sent(adapter: ReturnType<typeof chatAdapter>, request: Partial<UpstreamRequestBody>): JsonObject {
  return JSON.parse(String(adapter.prepare(providerCall({ ...hello, ...request })).body)) as JsonObject
}

const chatHost: ChatHost = {
  baseUrl,
  usage: excluding,
  errors: fault,
  endFrame: '<end>',
  wrapped: 'reply.0',
  finishReasons: { done: 'stop', cut: 'length' },
}
const chunk = (delta: object, finish_reason?: string) => ({ reply: [{ model: 'demo', choices: [{ index: 0, delta, finish_reason }] }] })

t.test('Chat Completions in other words', async t => {
  providerSuite(t, {
    adapter: chatAdapter(chatHost, { keys }),
    credentialId,
    secrets: ['sk-demo-dialects'],
    examples: [
      {
        name: 'wrapped, and ended in its own way',
        request: hello,
        stream: {
          body: [sseFrame(chunk({ content: 'Hello.' })), sseFrame({ ...chunk({}, 'done'), bill }), sseFrame('<end>')].join(''),
          events: [model, said, counted({}), stop],
        },
        reply: {
          body: { reply: [{ model: 'demo', choices: [{ message: { content: 'Hello.' }, finish_reason: 'cut' }] }], bill },
          events: [model, said, counted({}), length],
        },
        billed: { input: 15, output: 7 },
      },
      {
        name: 'counted in an event by itself',
        request: hello,
        stream: {
          body: [sseFrame(chunk({ content: 'Hello.' }, 'done')), sseFrame({ bill }), sseFrame('<end>')].join(''),
          events: [model, said, counted({}), stop],
        },
      },
    ],
    failures: [...failures],
    failuresInside: [{ name: 'busy', kind: 'overloaded', stream: { body: sseFrame(busy), events: [] }, reply: { body: busy } }],
  })
})

t.test('Chat Completions in lines of JSON', async t => {
  const lines = (...bodies: readonly object[]): string => bodies.map(body => `${JSON.stringify(body)}\n`).join('')
  providerSuite(t, {
    adapter: chatAdapter({ baseUrl, framing: 'json-lines', changeReply: body => (body['kind'] === 'ping' ? undefined : body) }, { keys }),
    unknownFrame: '{"kind":"ping"}\n',
    examples: [
      {
        name: 'a few lines',
        request: hello,
        stream: {
          body: lines(
            { kind: 'ping' },
            { choices: [{ index: 0, delta: { content: 'Hello.' } }] },
            { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 3, completion_tokens: 2 } },
          ),
          events: [said, counted({ uncachedInput: 3, cacheRead: 0, cacheWrite5m: 0, output: 2, reasoning: 0 }), stop],
        },
      },
    ],
  })
})

t.test('what a request to Chat Completions becomes', async t => {
  const table: ChatHost = {
    baseUrl: `${baseUrl}/?version=7`,
    path: '/talk',
    keyHeader: 'x-acme-key',
    headers: { 'x-acme-version': '7' },
    renamed: { max_tokens: 'limit', messages: 'turns', temperature: 'heat' },
    without: ['top_p', 'seed'],
    added: { mode: 'fast' },
    changeRequest: (body, { endpoint }) => ({ ...body, tag: endpoint.provider, names: Object.keys(body) }),
  }
  const adapter = chatAdapter(table, { keys })
  const asked = { max_output_tokens: 9, temperature: 0.5, top_p: 0.5, seed: 3 }
  const { url, headers } = adapter.prepare(providerCall({ ...hello, ...asked }))
  t.equal(url, `${baseUrl}/talk?version=7`)
  t.match(headers, { 'x-acme-version': '7', 'content-type': 'application/json' })
  t.same(sent(adapter, asked), {
    model: 'demo',
    turns: [{ role: 'user', content: 'Hello' }],
    limit: 9,
    heat: 0.5,
    mode: 'fast',
    tag: 'demo',
    names: ['model', 'limit', 'turns', 'heat', 'mode'],
  })
  const named = chatAdapter({ baseUrl, path: '/models/{model}/talk' })
  t.equal(named.prepare(providerCall({ ...hello, model: 'a/b c' })).url, `${baseUrl}/models/a%2Fb%20c/talk`)
  const waiting = chatAdapter({ baseUrl, errors: { retryAfterHeader: 'x-wait' } }).failure(429, { 'x-wait': '3' }, '')
  t.match(waiting, { kind: 'rate-limit', retryAfterMs: 3000 })
  const own = { ...hello, extra: { dialect: 'openai-chat', fields: { mode: 'slow', mood: 'good' } } } as UpstreamRequestBody
  t.match(sent(adapter, own), { mode: 'fast', mood: 'good' }, 'what the table adds is not for callers to change')
  const authorized = await adapter.authorize!({ method: 'POST', url, headers: {} }, credentialId, new AbortController().signal)
  t.same(authorized.headers, { 'x-acme-key': 'sk-demo-dialects' })
  const { events } = await replay(adapter, providerCall({ ...hello, ...asked, stream: true }), {
    pieces: [Buffer.from('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')],
  })
  t.same(
    events.flatMap(event => (event.type === 'warning' ? [event.param] : [])),
    ['top_p', 'seed'],
    'a warning names each member that was not sent',
  )
})

const item = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
}
const responsesHost: ResponsesHost = {
  baseUrl,
  path: '/generate',
  usage: excluding,
  errors: fault,
  finishReasons: { cut: 'length', fine: 'stop', worn: { failure: 'unavailable' } },
  without: ['store', 'temperature', 'include'],
  renamed: { max_output_tokens: 'limit' },
  minOutputTokens: 1,
  embeddings: false,
  capabilities: { builtInTools: false },
}

t.test('Responses in other words', async t => {
  const adapter = responsesAdapter(responsesHost, { keys })
  providerSuite(t, {
    adapter,
    credentialId,
    examples: [
      {
        name: 'a stream',
        request: { ...hello, max_output_tokens: 5, temperature: 0.5 },
        stream: {
          body: [
            { type: 'response.created', response: { model: 'demo', status: 'in_progress' } },
            { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
            { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hello.' },
            { type: 'response.output_item.done', output_index: 0, item },
            { type: 'response.completed', response: { model: 'demo', status: 'cut', output: [item], bill } },
          ]
            .map(event => sseFrame(event, event.type))
            .join(''),
          events: [
            model,
            { type: 'warning', param: 'temperature', message: 'is not supported by this provider and was dropped' },
            said,
            { type: 'item-end' },
            counted({}),
            length,
          ].toSorted((a, b) => Number(b.type === 'warning') - Number(a.type === 'warning')) as GenerationEvent[],
        },
        billed: { input: 15, output: 7 },
      },
    ],
    failures: [...failures],
    failuresInside: [{ name: 'busy', kind: 'overloaded', stream: { body: sseFrame(busy), events: [] }, reply: { body: busy } }],
  })
  const { url } = adapter.prepare(providerCall(hello))
  t.equal(url, `${baseUrl}/generate`)
  const body = sent(adapter, { max_output_tokens: 5, temperature: 0.5 })
  t.match(body, { limit: 5, stream: false, model: 'demo' })
  for (const name of responsesHost.without!) t.notOk(name in body, name)
  t.equal(adapter.embeddings, undefined)
  t.match(adapter.capabilities, { builtInTools: false, customTools: true })
  const worn = { model: 'demo', status: 'worn', output: [item] }
  const { failure } = await replay(adapter, providerCall(hello), { pieces: [Buffer.from(JSON.stringify(worn))] })
  t.match(failure, { kind: 'unavailable', vendorCode: 'worn' })
})

const messagesHost: MessagesHost = {
  baseUrl: 'https://llm.example.com',
  usage: { ...usage, at: 'bill', outputExcludesReasoning: true },
  errors: fault,
  finishReasons: { finished: 'stop', cut: 'length' },
  without: ['top_k', 'stop_sequences'],
  renamed: { max_tokens: 'limit' },
  added: { tier: 'eu' },
}

t.test('Messages in other words', async t => {
  const adapter = messagesAdapter(messagesHost, { keys })
  const withCache = { in: { fresh: 15, kept: 4, put: 1 }, out: 5, mused: 2 }
  const text = { type: 'text', text: 'Hello.' }
  providerSuite(t, {
    adapter,
    credentialId,
    examples: [
      {
        name: 'a stream',
        request: hello,
        stream: {
          body: [
            { type: 'message_start', message: { type: 'message', role: 'assistant', model: 'demo', content: [] } },
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
            { type: 'content_block_stop', index: 0 },
            { type: 'message_delta', delta: { stop_reason: 'cut' }, bill: withCache },
            { type: 'message_stop' },
          ]
            .map(event => sseFrame(event, event.type))
            .join(''),
          events: [model, said, counted({}), length],
        },
        reply: {
          body: { type: 'message', model: 'demo', content: [text], stop_reason: 'finished', bill: withCache },
          events: [model, said, counted({}), stop],
        },
        billed: { input: 15, output: 7 },
      },
    ],
    failures: [...failures],
    failuresInside: [{ name: 'busy', kind: 'overloaded', stream: { body: sseFrame(busy), events: [] }, reply: { body: busy } }],
  })
  const body = sent(adapter, { max_output_tokens: 5, top_k: 3, stop: ['x'] })
  t.match(body, { limit: 5, tier: 'eu' })
  for (const name of ['max_tokens', 'top_k', 'stop_sequences']) t.notOk(name in body, name)
  const authorized = await adapter.authorize!({ method: 'POST', url: baseUrl, headers: {} }, credentialId, new AbortController().signal)
  t.same(authorized.headers, { 'x-api-key': 'sk-demo-dialects' })
})

t.test('functions of a table that return something else are failures that say so', async t => {
  for (const changed of [undefined, null, 5, 'x', [], Promise.resolve({})]) {
    const sending = chatAdapter({ baseUrl, changeRequest: () => changed as never })
    t.throws(() => sending.prepare(providerCall(hello)), { message: /changeRequest/ } as never, `request ${String(changed)}`)
    if (changed === undefined) continue
    const reading = chatAdapter({ baseUrl, changeReply: () => changed as never })
    for (const stream of [true, false]) {
      const body = stream ? sseFrame({ choices: [] }) : '{"choices":[]}'
      const { failure } = await replay(reading, providerCall({ ...hello, stream }), { pieces: [Buffer.from(body)] })
      t.match(failure, { kind: 'protocol', message: /changeReply/ }, `reply ${String(changed)}`)
    }
  }
})

t.test('callers of the same wire get its own words, not those of the host', async t => {
  await using upstream = await fakeUpstream(() => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reply: [{ model: 'demo', choices: [{ message: { content: 'Hello.' }, finish_reason: 'cut' }] }], bill }),
  }))
  const acme = chatProvider({ ...chatHost, name: 'acme-chat', id: 'acme', baseUrl: upstream.url })
  const gateway = await testGateway({ plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), chat({}), acme({})] })
  t.teardown(() => gateway.stop())
  const reply = await gateway.request('/v1/chat/completions', {
    body: { model: 'acme/demo', messages: [{ role: 'user', content: 'Hello' }] },
  })
  t.match(await reply.json(), {
    choices: [{ message: { content: 'Hello.' }, finish_reason: 'length' }],
    usage: { prompt_tokens: 15, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
  })
})

t.test('models of a table and of a list are in the catalog', async t => {
  await using upstream = await fakeUpstream(({ url, headers }) =>
    url === '/v3/catalog'
      ? {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ all: [{ slug: 'listed', limits: { window: 9_000 }, key: headers['authorization'] }, { slug: 7 }] }),
        }
      : { status: 404, body: '' },
  )
  const acme = chatProvider({
    name: 'acme-chat',
    id: 'acme',
    baseUrl: `${upstream.url}/v3`,
    keyScheme: 'Key',
    models: { stated: { contextWindow: 4_000, price: { input: 1, output: 2 }, aliases: ['other'] } },
    modelList: { path: '/catalog', at: 'all', name: 'slug', contextWindow: 'limits.window' },
  })
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({}), models({}), acme({ apiKey: 'sk-demo-dialects' })],
  })
  t.teardown(() => gateway.stop())
  const names = async (): Promise<readonly string[]> => {
    const reply = await gateway.request('/v1/models')
    return ((await reply.json()) as { readonly data: readonly { readonly id: string }[] }).data.map(({ id }) => id)
  }
  t.ok((await names()).includes('stated'))
  for (let tries = 0; tries < 200 && !(await names()).includes('listed'); tries++) await new Promise(resolve => setTimeout(resolve, 10))
  t.ok((await names()).includes('listed'))
  t.equal(upstream.requests[0]!.headers['authorization'], 'Key sk-demo-dialects')
})
