import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import type { CatalogEntry, GenerationEvent, JsonObject, Price, TokenUsage } from '../../../core/index.ts'
import { ResponseStore, type ResponseStore as Store } from '../../../core/stores.ts'
import { checkStream, readEvents, testGateway, type TestGateway } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { ask, listing, providing, said, stop, text, usage, witness, type Answer } from '../../kit/stage.ts'

const silent = { logLevel: 'silent' } as const

/** The same events, once whole and once streamed. */
async function both(events: readonly GenerationEvent[], body: object = {}, ...entries: readonly CatalogEntry[]) {
  const under = await gateway({ plugins: [saying('acme', events), listing(...entries)], settings: silent })
  t.teardown(under.stop)
  const whole = await ask(under, { model: 'acme/m', ...body })
  const streamed = await ask(under, { model: 'acme/m', ...body, stream: true })
  return { under, whole, streamed, replies: [whole, streamed] as const }
}

/** Without ids and times. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, member) => {
    if (/^(id|item_id|created_at|completed_at)$/.test(name)) return undefined
    return typeof member === 'string' && /^(call_[0-9a-f]{32}|tps1\.)/.test(member) ? 'made here' : member
  })
}

const call = (key: string, more: object = {}): GenerationEvent => ({ type: 'tool-call', key, name: `f_${key}`, ...more })
const input = (key: string, text: string): GenerationEvent => ({ type: 'tool-input', key, text })

const rich: readonly GenerationEvent[] = [
  { type: 'model', model: 'm-2026-01-01' },
  { type: 'warning', param: 'top_k', message: 'is not known here' },
  { type: 'reasoning', form: 'summary', text: 'One.' },
  { type: 'reasoning', form: 'summary', text: 'Two.', newPart: true },
  { type: 'reasoning', form: 'full', text: 'In full.' },
  { type: 'reasoning-state', opaque: 'state' },
  { type: 'search', key: 's', status: 'in_progress', action: { type: 'search', query: 'cats' } },
  {
    type: 'search',
    key: 's',
    status: 'completed',
    action: { type: 'search', query: 'cats', sources: [{ type: 'url', url: 'https://example.com/' }] },
  },
  { type: 'text', text: 'Cats ', phase: 'commentary', logprobs: [{ token: 'Cats ', logprob: -0.1 }] },
  { type: 'text', text: 'purr.' },
  { type: 'annotation', citation: { type: 'url_citation', url: 'https://example.com/', title: 'Cats' }, start: 0, end: 4 },
  { type: 'item-end' },
  { type: 'text', text: 'Really.', phase: 'final_answer' },
  { type: 'refusal', text: 'No dogs.' },
  call('a'),
  input('a', '{"x":'),
  input('a', '1}'),
  call('b', { custom: true, callId: 'call_own' }),
  input('b', 'free '),
  input('b', 'text'),
  { type: 'item-end' },
  { type: 'compaction', opaque: 'compact' },
  {
    type: 'usage',
    usage: { uncachedInput: 10, cacheRead: 5, cacheWrite5m: 2, cacheWrite1h: 1, output: 20, reasoning: 7, toolCalls: { web_search: 1 } },
  },
  { type: 'finish', reason: 'tool-calls' },
]

t.test('a response is the same whether it is streamed or not, but for ids and times', async t => {
  const body = {
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    instructions: 'Be brief.',
    metadata: { a: 'b' },
    tools: [{ type: 'function', name: 'f_a' }],
    reasoning: { effort: 'low' },
  }
  for (const reason of ['tool-calls', 'stop', 'length', 'content-filter'] as const) {
    const { whole, streamed } = await both(rich.with(-1, { type: 'finish', reason }), body)
    t.same(plain(streamed.response), plain(whole.response), reason)
    t.match(whole.response, {
      model: 'acme/m',
      status: reason === 'length' || reason === 'content-filter' ? 'incomplete' : 'completed',
      usage: {
        input_tokens: 18,
        input_tokens_details: { cached_tokens: 5, cache_write_tokens: 3, cached_tokens_created: 3 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 7 },
        total_tokens: 38,
        tool_calls: { web_search: 1 },
      },
    })
    t.same(
      whole.response.output.map(({ type }) => type),
      ['reasoning', 'web_search_call', 'message', 'message', 'function_call', 'custom_tool_call', 'compaction'],
    )
    t.match(whole.headers.get('x-gateway-warnings'), /top_k: is not known here/)
    t.equal(streamed.headers.get('x-gateway-warnings'), whole.headers.get('x-gateway-warnings'))
  }
})

t.test('the documented set of events leaves three out, and the response is the same', async t => {
  const plugins = (events: 'all' | 'documented') => [
    memory({}),
    localSealer({ masterKey: 'ef'.repeat(32) }),
    responses({ events }),
    saying('acme', rich),
  ]
  const read = async (events: 'all' | 'documented') => {
    const under = await testGateway({ plugins: plugins(events) })
    t.teardown(under.stop)
    const text = await (await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true } })).text()
    return { response: checkStream(text, { events }).response, names: new Set(readEvents(text).map(({ type }) => type)) }
  }
  const [all, documented] = [await read('all'), await read('documented')]
  t.same(plain(documented.response), plain(all.response))
  t.same([...all.names].filter(name => !documented.names.has(name)).sort(), [
    'response.output_text.annotation.added',
    'response.refusal.delta',
    'response.refusal.done',
  ])
})

t.test('calls that interleave come out whole, in the order of their start, with ids', async t => {
  const events = [call('a'), input('a', '{"q":'), call('b', { callId: 'call_b' }), input('b', '{"r":'), input('a', '"one"}'), call('c')]
  const { replies } = await both([...events, input('b', '"two"}'), input('c', '{}'), { type: 'finish', reason: 'tool-calls' }])
  for (const { response } of replies) {
    t.match(response.output, [
      { type: 'function_call', name: 'f_a', arguments: '{"q":"one"}', status: 'completed' },
      { name: 'f_b', call_id: 'call_b', arguments: '{"r":"two"}' },
      { name: 'f_c', arguments: '{}' },
    ])
    const ids = response.output.map(item => String(item['call_id']))
    t.equal(new Set(ids).size, 3)
    t.match(ids[0], /^call_./, 'one is made where the vendor has none')
  }
})

t.test('an answer that was cut is incomplete, and so is its last item', async t => {
  for (const [reason, said] of [
    ['length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
  ] as const) {
    for (const events of [[text('Hel')], [call('a'), input('a', '{"x":')], [text('x'), { type: 'item-end' } as const, text('y')]]) {
      const { replies } = await both([...events, usage(3, 2), { type: 'finish', reason }])
      for (const { response, status } of replies) {
        t.equal(status, 200)
        t.match(response, { status: 'incomplete', incomplete_details: { reason: said }, completed_at: null, error: null })
        t.equal(response.output.at(-1)!['status'], 'incomplete')
      }
    }
    const { replies } = await both([{ type: 'finish', reason }])
    for (const { response } of replies) t.same([response.status, response.output], ['incomplete', []], 'even of nothing')
  }
})

t.test('a refusal is an answer', async t => {
  const { replies } = await both([{ type: 'refusal', text: 'I ' }, { type: 'refusal', text: 'will not.' }, stop])
  for (const { response } of replies)
    t.match(response, { status: 'completed', output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] }] })
})

t.test('usage is estimated where the vendor counts nothing, and the record says so', async t => {
  const { replies, under } = await both([text('x'.repeat(400)), stop], { input: 'y'.repeat(4_000) })
  for (const { response, requestId } of replies) {
    const { input_tokens, output_tokens } = response['usage'] as { input_tokens: number; output_tokens: number }
    // The tokenizer of the model is not known, so half as many tokens are added.
    t.equal(input_tokens, Math.ceil(countTokens('y'.repeat(4_000)) * 1.5) + 7, 'with 3 tokens for the request, and 4 for its message')
    t.equal(output_tokens, Math.ceil(countTokens('x'.repeat(400)) * 1.5))
    t.match(await under.record(requestId), { usage: { estimated: true, output: output_tokens } })
  }
})

t.test('the cost is what each kind of token costs, and null where the price is unknown', async t => {
  const counts: TokenUsage = {
    uncachedInput: 1_000,
    cacheRead: 2_000,
    cacheWrite5m: 3_000,
    cacheWrite1h: 4_000,
    output: 5_000,
    reasoning: 500,
  }
  const prices: readonly (readonly [Price | undefined, number | null])[] = [
    [undefined, null],
    [{ input: 1, output: 10 }, 0.06],
    [{ input: 1, output: 10, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 }, 0.001 + 0.0002 + 0.00375 + 0.008 + 0.05],
    [{ input: 0, output: 0 }, 0],
  ]
  for (const [price, cost] of prices) {
    const { replies, under } = await both(
      [text('x'), { type: 'usage', usage: counts }, stop],
      { model: 'm' },
      {
        model: 'm',
        endpoints: [{ provider: 'acme', price }],
      },
    )
    for (const { requestId } of replies) {
      const { costUsd } = await under.record(requestId)
      if (cost === null) t.equal(costUsd, null)
      else t.ok(Math.abs(costUsd! - cost) < 1e-9, `${costUsd} is ${cost}`)
    }
  }
})

t.test('a pause goes on at the same candidate, and its usage is summed', async t => {
  const acme = witness('acme', (_, count) => {
    if (count % 3 === 1) return [text('One. '), usage(10, 4), { type: 'finish', reason: 'pause' }]
    if (count % 3 === 2) return [{ type: 'item-end' }, text('Two. '), usage(15, 3), { type: 'finish', reason: 'pause' }]
    return [{ type: 'item-end' }, text('Three.'), usage(20, 2), stop]
  })
  const under = await gateway({ plugins: [acme.plugin, saying('globex', hello)] })
  t.teardown(under.stop)
  for (const stream of [false, true]) {
    const reply = await ask(under, { model: 'acme/m', routing: { provider: { fallbacks: ['globex'] } }, stream })
    t.equal(said(reply.response), 'One. Two. Three.')
    t.match(reply.response, { status: 'completed', usage: { input_tokens: 45, output_tokens: 9, total_tokens: 54 } })
    t.match(await under.record(reply.requestId), { usage: { uncachedInput: 45, output: 9 }, attempts: [{}, {}, {}] })
    const asked = acme.calls.splice(0).map(({ request }) => JSON.stringify(request.input))
    t.match(asked[2], /hi.*One\. .*Two\. /, 'each round is told what was said')
  }
})

t.test('each round is estimated by itself', async t => {
  const acme = witness('acme', (_, count) => [text('x'.repeat(4_000)), count % 4 === 0 ? stop : { type: 'finish', reason: 'pause' }])
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const { output_tokens } = (await ask(under, { model: 'acme/m' })).response['usage'] as { output_tokens: number }
  t.equal(output_tokens, 4 * countTokens('x'.repeat(4_000)) * 1.5)
})

t.test('a reply that pauses for ever ends', async t => {
  const acme = witness('acme', () => [text('more '), { type: 'finish', reason: 'pause' }])
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/m' })).response.status, 'completed')
  t.ok(acme.calls.length > 1 && acme.calls.length < 20)
})

t.test('previous_response_id puts what was said before in front, without its instructions', async t => {
  const acme = witness('acme', (_, count) =>
    count === 1
      ? [call('a', { callId: 'call_1' }), input('a', '{}'), { type: 'finish', reason: 'tool-calls' }]
      : [text(`answer ${count}`), stop],
  )
  const under = await gateway({ plugins: [acme.plugin], key: { name: 'test', user: 'jane', policy: { logging: { value: true } } } })
  t.teardown(under.stop)
  const first = await ask(under, { model: 'acme/m', input: 'question 1', instructions: 'Be brief.' })
  t.equal(first.response['store'], true)
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'result' }
  const second = await ask(under, { model: 'acme/m', input: [output], previous_response_id: first.response.id, stream: true })
  t.equal(second.response['previous_response_id'], first.response.id)
  const third = await ask(under, { model: 'acme/m', input: 'question 3', previous_response_id: second.response.id })
  t.equal(third.status, 200)
  const { request } = acme.calls[2]!
  t.match(request.input, [
    { role: 'user', content: [{ text: 'question 1' }] },
    { type: 'function_call', call_id: 'call_1', name: 'f_a' },
    output,
    { role: 'assistant', content: [{ text: 'answer 2' }] },
    { role: 'user', content: [{ text: 'question 3' }] },
  ])
  t.equal(request.input.length, 5)
  t.equal(request.instructions, undefined)
  await ask(under, { model: 'acme/m', input: 'other', previous_response_id: first.response.id, instructions: 'New.' }).then(({ status }) =>
    t.equal(status, 200, 'one response may have several successors'),
  )

  const wrong = await ask(under, { model: 'acme/m', input: [{ ...output, call_id: 'call_2' }], previous_response_id: first.response.id })
  t.equal(wrong.status, 400)
  t.match(wrong.error, { param: 'input[0].call_id' })

  const as = async (settings: object) => ({
    authorization: `Bearer ${await under.gateway.issueKey({ name: 'x', policy: { logging: { value: true } }, ...settings })}`,
  })
  const follow = { model: 'acme/m', previous_response_id: first.response.id, input: [output] }
  t.equal((await ask(under, follow, await as({ user: 'jane' }))).status, 200, "a rotated key keeps its owner's history")
  for (const settings of [{ user: 'john' }, { org: 'globex', user: 'jane' }, {}, { team: 'jane' }]) {
    const { status, error } = await ask(under, follow, await as(settings))
    t.equal(status, 400)
    t.match(error, { code: 'previous_response_not_found', param: 'previous_response_id' })
    t.equal(error.message, `Previous response with id '${first.response.id}' not found.`)
  }
  const off = await ask(under, follow, await as({ user: 'jane', policy: {} }))
  t.equal(off.status, 400)
  t.match(off.error, { param: 'previous_response_id', message: /logging/ })
})

t.test('store is echoed as it is, from the first event on, and what is not stored is not found', async t => {
  for (const [logging, store, stored] of [
    [true, undefined, true],
    [true, null, true],
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, undefined, false],
  ] as const) {
    const under = await gateway({
      plugins: [saying('acme', hello)],
      key: { name: 'test', user: 'jane', policy: { logging: { value: logging } } },
    })
    t.teardown(under.stop)
    const whole = await ask(under, { model: 'acme/m', store })
    t.equal(whole.response['store'], stored)
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', store, stream: true } })
    const events = readEvents(await reply.text())
    for (const { type, response } of events)
      if (response) t.equal((response as JsonObject)['store'], stored, `${type} with logging ${logging} and store ${store}`)
    const authorization = `Bearer ${await under.gateway.issueKey({ name: 'x', user: 'jane', policy: { logging: { value: true } } })}`
    for (const id of [whole.response.id, (events.at(-1)!['response'] as JsonObject)['id']])
      t.equal((await ask(under, { model: 'acme/m', previous_response_id: id }, { authorization })).status, stored ? 200 : 400)
  }
})

/** A gateway whose responses are kept by this store. */
async function storing(store: Partial<Store>, settings: object = {}): Promise<TestGateway> {
  const under = await testGateway({
    plugins: [
      memory({ services: ['keys', 'metrics', 'limits', 'ledger'] }),
      providing<Store>(ResponseStore, {
        put: async () => {},
        get: async () => undefined,
        chain: async () => undefined,
        items: async () => new Map(),
        delete: async () => false,
        ...store,
      }),
      localSealer({ masterKey: 'ef'.repeat(32) }),
      responses({}),
      sandbox({}),
      saying('acme', hello),
    ],
    settings: { ...silent, ...settings },
  })
  t.teardown(under.stop)
  return under
}

t.test('a store that fails, throws or is late holds back no answer: it says store false', async t => {
  const puts: readonly Store['put'][] = [
    () => Promise.reject(new Error('disk full')),
    () => {
      throw new Error('disk full')
    },
    () => new Promise(() => {}),
  ]
  for (const put of puts) {
    const under = await storing({ put }, { storeTimeoutMs: 20, heartbeatMs: 6 })
    for (const stream of [true, false]) {
      const { status, response } = await ask(under, { model: 'acme/m', stream })
      t.equal(status, 200)
      t.match(response, { status: 'completed', store: false })
      t.equal(said(response), 'Hello')
    }
  }
  for (const chain of [() => Promise.reject(new Error('disk gone')), () => new Promise<never>(() => {})]) {
    const unreadable = await storing({ chain }, { storeTimeoutMs: 20 })
    const { status, error } = await ask(unreadable, { model: 'acme/m', previous_response_id: 'resp_1' })
    t.equal(status, 503)
    t.notMatch(error.message, 'disk')
  }
})

t.test('a store learns that a response is too late', async t => {
  const signals: (AbortSignal | undefined)[] = []
  const under = await storing(
    {
      put(_owner, _response, signal) {
        signals.push(signal)
        return signals.length === 1 ? Promise.resolve() : new Promise(() => {})
      },
    },
    { storeTimeoutMs: 20 },
  )
  for (const store of [true, false]) t.match((await ask(under, { model: 'acme/m' })).response, { store })
  t.match(signals, [{ aborted: false }, { aborted: true }])
})

t.test('the response is stored before the client learns of its end', async t => {
  const seen: string[] = []
  const under = await storing({
    async put(_, { body, output, input }) {
      await new Promise(resolve => setImmediate(resolve))
      seen.push(`put ${String(body['id'])}`)
      t.match(body, { status: 'completed' })
      t.match([input, output], [[{ role: 'user' }], [{ role: 'assistant' }]])
    },
  })
  for (const stream of [true, false]) {
    const { response } = await ask(under, { model: 'acme/m', stream })
    t.equal(seen.pop(), `put ${response.id}`)
    t.equal(response['store'], true)
  }
})

t.test('there is one record for each request, with content only where logging is on', async t => {
  const secret = 'canary-7f3a'
  for (const logging of [true, false]) {
    const under = await gateway({
      plugins: [saying('acme', [text(`you said ${secret}`), usage(3, 2), stop])],
      key: { name: 'test', policy: { logging: { value: logging } } },
    })
    const replies: Answer[] = []
    for (const body of [{}, { stream: true }, { model: 'nobody/m' }, { model: 5 }, { store: false }])
      replies.push(await ask(under, { model: 'acme/m', input: secret, metadata: { note: secret }, ...body }))
    const strange = await under.request('/v1/nowhere')
    const keyless = await under.request('/v1/responses', { body: {}, headers: { authorization: 'Bearer nonsense' } })
    await under.request('/v1/responses/health')
    const records = await under.recorded(7)
    await under.stop()
    t.equal(records.length, 7, 'health leaves none')
    t.equal(new Set(records.map(({ id }) => id)).size, 7)
    t.same(records.map(({ status }) => status).sort(), [...replies.map(({ status }) => status), strange.status, keyless.status].sort())
    const of = (reply: Answer) => records.find(({ id }) => id === reply.requestId)!
    const [whole, streamed, unknown] = replies.map(of)
    for (const record of [whole!, streamed!])
      t.match(record, {
        method: 'POST',
        path: '/v1/responses',
        status: 200,
        owner: 'default',
        requestedModel: 'acme/m',
        model: 'm',
        provider: 'acme',
        attempts: [{ provider: 'acme', model: 'm', outcome: 'ok' }],
        usage: { uncachedInput: 3, output: 2 },
        costUsd: null,
        errorCode: null,
      })
    t.same([whole!.stream, streamed!.stream], [false, true])
    t.match(unknown, { status: 400, errorCode: 'model_not_found', model: null, provider: null, attempts: [], usage: null })
    t.match(whole!.keyId, /^[0-9a-z]+$/)
    if (logging) {
      t.match(
        [whole!.request, whole!.response],
        [{ input: [{ content: [{ text: secret }] }] }, { output: [{ content: [{ text: /canary/ }] }] }],
      )
      t.ok(of(replies[4]!).request, 'store false keeps it out of the history, not out of the log')
    } else t.notMatch(JSON.stringify(records) + under.logs.join(''), secret)
  }
})
