import t, { type Test } from 'tap'
import type { RequestRecord } from '../../core/index.ts'
import type { FakeReply } from '../../core/testing/index.ts'
import { fakeUpstream } from '../../core/testing/index.ts'
import conversations from '../../plugins/endpoints/conversations/index.ts'
import anthropic from '../../plugins/providers/anthropic/index.ts'
import gemini from '../../plugins/providers/gemini/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import mcp from '../../plugins/tools/mcp/index.ts'
import webSearch from '../../plugins/tools/web-search/index.ts'
import { gateway, type GatewayUnderTest } from '../kit/gateway.ts'
import { sandboxModel, surfaces, urlOf } from '../kit/surfaces.ts'

// Without `logging`, the record of a failed request has the words of its error, but nothing that the caller or a vendor wrote.

const word = 'CANARY'
const number = 8_675_309
const quoted = /canary|8675309/i

/** The members of the record that tell of the failure, besides names of models and the path, which records always have. */
function told({ path: _, requestedModel: __, model: ___, routing: ____, attempts, ...record }: RequestRecord): string {
  return JSON.stringify({ ...record, attempts: attempts.map(({ model: _____, ...attempt }) => attempt) })
}

const fn = { type: 'function', name: 'look_up', parameters: { type: 'object', properties: { city: { type: 'string' } } } }

/** Bodies with as much as a surface has. Each place of them is then made wrong. */
const rich: Readonly<Record<string, object>> = {
  responses: {
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Hi' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
        ],
      },
      { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
    ],
    tools: [
      fn,
      { type: 'web_search', filters: { allowed_domains: ['example.com'] } },
      { type: 'custom', name: 'write', format: { type: 'grammar', syntax: 'regex', definition: '[a-z]+' } },
      { type: 'mcp', server_label: 'files', server_url: 'https://127.0.0.1:9' },
    ],
    tool_choice: { type: 'function', name: 'look_up' },
    text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object', properties: { a: { type: 'string' } } } } },
    metadata: { a: 'b' },
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'low' },
    routing: { provider: { sort: 'cost', fallbacks: ['sandbox'] }, model: { fallbacks: ['sandbox/echo'] } },
    temperature: 1,
    stream: false,
  },
  chat: {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ],
    tools: [{ type: 'function', function: { name: 'look_up', parameters: fn.parameters } }],
    tool_choice: { type: 'function', function: { name: 'look_up' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: {} } },
    stop: ['x'],
    n: 1,
  },
  messages: {
    max_tokens: 50,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
    ],
    tools: [{ name: 'look_up', input_schema: fn.parameters }],
    tool_choice: { type: 'tool', name: 'look_up' },
    thinking: { type: 'disabled' },
  },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [{ functionDeclarations: [{ name: 'look_up', parameters: fn.parameters }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look_up'] } },
    generationConfig: { temperature: 1, thinkingConfig: { thinkingLevel: 'LOW' }, responseSchema: { type: 'OBJECT' } },
  },
}

type Place = readonly (string | number)[]

function* placesOf(value: unknown, place: Place = []): Generator<Place> {
  if (place.length > 0) yield place
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) yield* placesOf(member, [...place, Array.isArray(value) ? Number(name) : name])
}

/** The body with another value in a place. Undefined removes it. */
function changed(body: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value
  const copy: any = Array.isArray(body) ? [...body] : { ...(body as object) }
  copy[step] = changed(copy[step], rest, value)
  return copy
}

const wrong: readonly unknown[] = [word, number, { [word]: word }, { type: word }]

function* wrongBodies(body: object): Generator<unknown> {
  yield { ...body, [word]: word }
  for (const place of placesOf(body)) {
    for (const value of wrong) yield changed(body, place, value)
    const parent = place.slice(0, -1)
    if (typeof place.at(-1) === 'string') yield changed(body, [...parent, word], number)
  }
}

async function check(t: Test, under: GatewayUnderTest, replies: readonly Promise<Response>[]): Promise<readonly RequestRecord[]> {
  const failed: RequestRecord[] = []
  for (const reply of await Promise.all(replies)) {
    await reply.text()
    if (reply.status < 400) continue
    const record = await under.record(reply.headers.get('x-request-id')!)
    failed.push(record)
    if (quoted.test(told(record))) t.fail(`quotes: ${told(record)}`)
    if (record.reason === null || record.errorMessage === null) t.fail(`says too little: ${told(record)}`)
  }
  t.ok(failed.length > 0, `${failed.length} failed requests`)
  return failed
}

t.test('nothing of a wrong request', async t => {
  const used = new Map(surfaces.filter(({ name }) => name !== 'responses').map(surface => [surface.name, surface.use({})]))
  const under = await gateway({
    key: { policy: {} },
    plugins: [...used.values(), conversations({}), mcp({ origins: [{ origin: 'https://127.0.0.1:9' }] }), webSearch({})],
  })
  t.teardown(under.stop)
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    under.request(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
  for (const surface of surfaces) {
    const model = sandboxModel(surface)
    const whole = { ...surface.body(model), ...rich[surface.name] }
    const path = urlOf(surface, model)
    await check(t, under, [
      ...Array.from(wrongBodies(whole), body => post(path, body)),
      post(urlOf(surface, word), surface.body(word)),
      post(urlOf(surface, `sandbox/${word}`), surface.body(`sandbox/${word}`)),
      post(urlOf(surface, `${word}/${word}`), surface.body(`${word}/${word}`)),
      under.request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: `{"a": ${word}` }),
      under.request(path, { method: 'POST', headers: { 'content-type': `text/${word}` }, body: word }),
      post(path, whole, { 'content-encoding': word }),
      post(path, whole, { authorization: `Bearer ${word}` }),
      post(path, whole, { 'x-api-key': word }),
    ])
  }
  const failed = await check(t, under, [
    ...['', '/responses', '/models', '/conversations'].flatMap(path => [
      under.request(`/v1${path}/${word}`),
      under.request(`/v1${path}/${word}`, { method: 'DELETE' }),
      under.request(`/v1${path}?${word}=${word}&limit=${word}&after=${word}&order=${word}&interval=${word}`),
    ]),
    under.request(`/v1/responses/${word}/input_items?limit=${word}`),
    under.request(`/v1/responses/${word}/cancel`, { method: 'POST' }),
    post('/v1/responses', { model: 'sandbox/echo', input: [{ type: 'item_reference', id: word }] }),
    post('/v1/responses', { model: 'sandbox/echo', input: 'Hi', conversation: word }),
    post('/v1/responses', { model: 'sandbox/echo', input: 'Hi', previous_response_id: word }),
    post('/v1/responses', { model: 'sandbox/echo', input: 'Hi', prompt: { id: word, variables: { [word]: word } } }),
  ])
  t.ok(
    failed.some(({ errorMessage }) => errorMessage?.includes('…')),
    'what was quoted is left out',
  )
})

t.test('the parameter is there as far as the gateway has words for it', async t => {
  const under = await gateway({ key: { policy: {} } })
  t.teardown(under.stop)
  const recordOf = async (body: object): Promise<RequestRecord> => {
    const reply = await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'Hi', ...body } })
    return await under.record(reply.headers.get('x-request-id')!)
  }
  t.match(await recordOf({ metadata: { [word]: number } }), { errorParam: 'metadata.…', errorMessage: /^Invalid type for 'metadata\.…'/ })
  t.match(await recordOf({ input: [{ role: 'user', content: [{ type: word }] }] }), {
    errorParam: /^input\[0\]\.content/,
    errorMessage: /'…' is not a known type; expected one of/,
  })
  t.match(await recordOf({ model: word }), { errorParam: 'model', errorMessage: /^The model "…" does not exist here\./ })
  t.match(await recordOf({ temperature: number }), {
    errorParam: 'temperature',
    errorMessage: "Invalid value for 'temperature': it must be <= 2.",
  })
})

t.test('the message about a path that nobody serves is a sentence', async t => {
  const under = await gateway({ key: { policy: {} } })
  t.teardown(under.stop)
  const messageOf = async (path: string): Promise<string | null> => {
    const reply = await under.request(path, { body: {} })
    t.equal(reply.status, 404)
    return (await under.record(reply.headers.get('x-request-id')!)).errorMessage
  }
  t.equal(await messageOf(`/${word}/${word}`), 'Nothing is served at this method and path.')
  t.equal(await messageOf('/v1/respnses'), 'Nothing is served at this method and path. Did you mean /v1/responses?')
})

t.test('with logging on, the content has the words that the caller got', async t => {
  const under = await gateway()
  t.teardown(under.stop)
  const reply = await under.request('/v1/responses', { body: { model: word, input: 'Hi', metadata: { [word]: 'x' } } })
  const { error } = (await reply.json()) as { error: { message: string; param: string } }
  const { kept, ...facts } = await under.record(reply.headers.get('x-request-id')!)
  t.match(error.message, word)
  t.same(kept, { error: { message: error.message, param: error.param } })
  t.match(facts, { errorMessage: /^The model "…" does not exist here\./, errorParam: 'model' })
})

t.test('nothing of what a vendor says', async t => {
  const said = `it said ${word} and ${number}`
  const error = { message: said, type: word, code: word, param: word, status: word, details: [{ reason: word }] }
  const failures: readonly FakeReply[] = [
    ...[400, 401, 404, 408, 429, 500].flatMap((status): FakeReply[] => [
      { status, body: JSON.stringify({ error }), headers: { 'x-amzn-errortype': word, 'retry-after': '0' } },
      { status, body: JSON.stringify({ error: { ...error, code: 'invalid_prompt', type: word } }) },
      { status, body: said },
    ]),
    { status: 200, body: JSON.stringify({ error }) },
    { status: 200, body: `<html>${said}</html>` },
    { headers: { 'content-type': 'text/event-stream' }, body: `data: ${JSON.stringify({ error })}\n\n` },
    { headers: { 'content-type': 'text/event-stream' }, body: `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n` },
    { headers: { 'content-type': 'text/event-stream' }, body: `data: ${said}\n\n` },
    { status: 302, headers: { location: `https://${word}.example.com` }, body: said },
  ]
  let next = 0
  const upstream = await fakeUpstream(() => failures[next++ % failures.length]!)
  const options = { apiKey: 'demo', baseUrl: upstream.url }
  const under = await gateway({
    key: { policy: {} },
    settings: { retries: 0 },
    plugins: [
      openaiChat({ id: 'chat', ...options }),
      anthropic({ id: 'messages', ...options }),
      gemini({ id: 'gemini', ...options }),
      openaiResponses({ id: 'responses', ...options }),
    ],
  })
  t.teardown(async () => {
    await under.stop()
    await upstream.close()
  })
  for (const provider of ['chat', 'messages', 'gemini', 'responses'])
    for (const stream of [false, true]) {
      const body = { model: `${provider}/m`, input: word, stream }
      const replies = await Promise.all(failures.map(() => under.request('/v1/responses', { body })))
      for (const reply of replies) {
        await reply.text()
        const record = await under.record(reply.headers.get('x-request-id')!)
        if (quoted.test(told(record))) t.fail(`${provider} quotes: ${told(record)}`)
        if (record.reason === null || record.errorMessage === null) t.fail(`${provider} says too little: ${told(record)}`)
      }
      t.ok(replies.length > 0, provider)
    }
})

t.test("a vendor's status, code and request id are kept, also of an error inside a stream", async t => {
  const error = { type: 'overloaded_error', message: word }
  const headers = { 'request-id': 'req_011CVendor7' }
  const replies: FakeReply[] = [
    { status: 529, headers, body: JSON.stringify({ type: 'error', error }) },
    {
      headers: { ...headers, 'content-type': 'text/event-stream' },
      body: `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
    },
  ]
  let next = 0
  const upstream = await fakeUpstream(() => replies[next++]!)
  const vendor = anthropic({ id: 'messages', apiKey: 'demo', baseUrl: upstream.url })
  const under = await gateway({ key: { policy: {} }, settings: { retries: 0 }, plugins: [vendor] })
  t.teardown(async () => {
    await under.stop()
    await upstream.close()
  })
  for (const status of [529, null]) {
    const reply = await under.request('/v1/responses', { body: { model: 'messages/m', input: 'Hi', stream: true } })
    await reply.text()
    const { attempts } = await under.record(reply.headers.get('x-request-id')!)
    t.match(attempts, [{ outcome: 'overloaded', vendorCode: 'overloaded_error', requestId: 'req_011CVendor7' }])
    t.equal(attempts[0]!.status, status)
  }
})
