import t from 'tap'
import { ProviderFailure, type GenerationEvent, type JsonObject } from '../../../core/index.ts'
import { checkedAnswer } from '../../../core/generation/structured-output/checked-answer.ts'
import { checkStream, readEvents } from '../../../core/testing/index.ts'
import { gateway, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { ask, listing, said, stop, text, usage, witness } from '../../kit/stage.ts'
import { answering, formatOf, good, invoice, type Structured } from './structured-output-stage.ts'

const thinking: GenerationEvent = { type: 'reasoning', form: 'full', text: 'Hm.' }
const citation: GenerationEvent = {
  type: 'annotation',
  citation: { type: 'url_citation', url: 'https://example.com/pens', title: 'Pens' },
  start: 0,
  end: 2,
}
const call: readonly GenerationEvent[] = [
  { type: 'tool-call', key: 'a', callId: 'call_a', name: 'look_up' },
  { type: 'tool-input', key: 'a', text: '{}' },
]
const search: GenerationEvent = { type: 'search', key: 's', status: 'completed', action: { type: 'search', query: 'pens' } }

/** A response without what differs from run to run. */
function plain(response: JsonObject): unknown {
  const { id: _i, created_at: _c, completed_at: _d, ...rest } = response
  return JSON.parse(JSON.stringify(rest), (key, value: unknown) => (key === 'id' ? undefined : value))
}

async function bothWays(answer: readonly GenerationEvent[], format: object = invoice, structuredOutput: Structured = 'none') {
  const { under, ask } = await answering(structuredOutput, () => answer)
  const whole = await ask({ text: { format } })
  const streamed = await ask({ text: { format }, stream: true })
  await under.stop()
  return { whole, streamed }
}

t.test('an answer that is valid, or can be made so without changing what it says', async t => {
  const emoji = JSON.stringify({ total: 1, lines: [], note: '\u{1f600}'.repeat(3_000) })
  const cases: Record<string, readonly [answer: readonly GenerationEvent[], said: string, format?: object]> = {
    valid: [[text(good), stop], good],
    'in pieces': [[text(good.slice(0, 9)), text(good.slice(9)), stop], good],
    'white space around': [[text(`\n ${good}\n`), stop], `\n ${good}\n`],
    'a byte order mark': [[text(`\ufeff${good}`), stop], good],
    fenced: [[text('```json\n'), text(good), text('\n```'), stop], good],
    'fenced, on the line of the fence': [[text(`\`\`\`${good}\n\`\`\``), stop], good],
    'prose around': [[text(`Here's "it" [1]:\n\n${good}\n\nIsn't it nice {really}?`), stop], good],
    'a comma too many': [[text('{"total": 1, "lines": ["a",],}'), stop], '{"total": 1, "lines": ["a"]}'],
    'a fence inside a string': [[text('Sure: {"text": "```json {\\"a\\": 1}```"}'), stop], '{"text": "```json {\\"a\\": 1}```"}', {}],
    'line breaks in a string': [[text('{"text": "a\nb\t"}'), stop], '{"text": "a\\nb\\t"}', {}],
    'a number as long as it is': [[text('It is {"n": 1.10000000000000000001}'), stop], '{"n": 1.10000000000000000001}', {}],
    'far outside the plane': [[text(`Yes: ${emoji}`), stop], emoji, {}],
    'names that objects inherit': [
      [text('Yes: {"__proto__": {"polluted": 1}, "constructor": 2}'), stop],
      '{"__proto__": {"polluted": 1}, "constructor": 2}',
      {},
    ],
    'reasoning before': [[thinking, { type: 'reasoning-state', opaque: 'sig' }, text(good), stop], good],
    'reasoning between': [[text(good.slice(0, 9)), thinking, text(good.slice(9)), stop], good],
    'prose, a search, and the answer': [[text('Let me see. '), search, text(`\`\`\`\n${good}\n\`\`\``), stop], good],
  }
  for (const [name, [answer, expected, schema]] of Object.entries(cases)) {
    const { whole, streamed } = await bothWays([...answer, usage(3, 2)], schema ? formatOf(schema) : invoice)
    t.equal(whole.status, 200, name)
    t.equal(said(whole.response), expected, name)
    t.strictSame(plain(streamed.response), plain(whole.response), `${name}: a stream says the same`)
    t.match(whole.response, { status: 'completed', usage: { input_tokens: 3, output_tokens: 2 } })
  }
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  const order = (await bothWays([text(good.slice(0, 9)), thinking, text(good.slice(9)), stop])).streamed.response.output
  t.same(
    order.map(item => item['type']),
    ['message', 'reasoning', 'message'],
    'in the order in which it came',
  )
})

t.test('citations and log probabilities stay with a text that stays', async t => {
  const answer = (wrapped: string): GenerationEvent[] => [
    { type: 'text', text: wrapped, logprobs: [{ token: '{', logprob: -0.1 }] },
    citation,
    stop,
  ]
  const parts = async (wrapped: string) => {
    const { under, ask } = await answering('none', () => answer(wrapped))
    t.teardown(under.stop)
    const include = ['message.output_text.logprobs']
    return [await ask({ include }), await ask({ include, stream: true })].map(({ response }) => response.output[0]!['content'])
  }
  for (const [part] of (await parts(good)) as JsonObject[][]) t.match(part, { annotations: [{ url: /pens/ }], logprobs: [{ token: '{' }] })
  for (const [part] of (await parts(`Yes: ${good}`)) as JsonObject[][]) t.match(part, { text: good, annotations: [], logprobs: [] })
})

t.test('an answer without JSON passes unchanged', async t => {
  const begun = '```json\n{"total": 12.'
  const cases: Record<string, readonly [answer: readonly GenerationEvent[], said: string, status: string]> = {
    'cut by length': [[text(begun), { type: 'finish', reason: 'length' }], begun, 'incomplete'],
    'cut by a filter': [[text(begun), { type: 'finish', reason: 'content-filter' }], begun, 'incomplete'],
    'a call': [[text('One moment.'), ...call, { type: 'finish', reason: 'tool-calls' }], 'One moment.', 'completed'],
    'a call that a vendor finishes with stop': [[...call, text('One moment.'), stop], 'One moment.', 'completed'],
    'a refusal': [[{ type: 'refusal', text: 'No.' }, stop], 'No.', 'completed'],
    'a refusal behind text': [[text('Hm. '), { type: 'refusal', text: 'No.' }, stop], 'Hm. No.', 'completed'],
  }
  for (const [name, [answer, expected, status]] of Object.entries(cases)) {
    const { whole, streamed } = await bothWays(answer)
    t.equal(whole.status, 200, name)
    t.equal(said(whole.response), expected, name)
    t.equal(whole.response.status, status, name)
    t.strictSame(plain(streamed.response), plain(whole.response), `${name}: a stream says the same`)
  }
})

t.test('an answer that does not match the schema is a failure that names the place, never the value', async t => {
  const cases: Record<string, readonly [answer: string, message: RegExp, format?: object]> = {
    'no JSON': ['I cannot do secret things.', /the schema "invoice".*no JSON value/],
    empty: [' ', /is empty/],
    'never ends': ['{"total": 1, "lines": ["secret"', /does not end/],
    'several values': [`${good} or rather ${good}`, /contains several JSON values/],
    'the inside of something broken': [`{"outer": ${good}, secret}`, /no JSON value/],
    'the only object of a list': [`Yes:\n[${good}]`, /"type" at "\/"/],
    'a list inside prose': [`Yes: [${good}].`, /no JSON value/],
    'a footnote': ['As they say [1].', /no JSON value/, formatOf({ type: 'array' })],
    'a missing member': ['{"total": 1}', /"required" at "\/"/],
    'a wrong element': ['{"total": 1, "lines": ["a", "SECRET"]}', /"pattern" at "\/lines\/1"/],
    'no object': ['["secret"]', /asked for one JSON object.*not an object/, { type: 'json_object' }],
  }
  for (const [name, [answer, message, format]] of Object.entries(cases)) {
    const { whole, streamed } = await bothWays([text(answer), usage(3, 2), stop], format)
    t.equal(whole.status, 424, name)
    t.match(whole.error, { type: 'provider_error', code: 'provider_error', message }, name)
    t.match(streamed.response, { status: 'failed', error: { code: 'provider_error', message } }, name)
    t.same(streamed.response.output, [], 'nothing of it was sent')
    t.notMatch(JSON.stringify([whole.error, streamed.response['error']]), /secret/i)
  }
  const nothing = await bothWays([thinking, stop])
  t.equal(nothing.whole.status, 424)
  t.equal(nothing.streamed.response.status, 'failed')
  const cut = await bothWays([text(good)])
  t.equal(cut.whole.status, 424, 'a reply without its end is none')
  t.equal(cut.streamed.response.status, 'failed')
})

t.test('the usage of a failed stream is charged', async t => {
  const { under, ask } = await answering('none', () => [text('no'), stop, usage(30, 20)])
  t.teardown(under.stop)
  const { requestId, response } = await ask({ stream: true })
  t.match(response, { status: 'failed', usage: { input_tokens: 30, output_tokens: 20 } })
  t.match((await under.record(requestId)).usage, { uncachedInput: 30, output: 20 })
})

t.test('a reply that does not stream goes to the next candidate, whatever the first had begun to say', async t => {
  const acme = witness('acme', () => [thinking, text('no'), stop])
  const globex = witness('globex', () => [text(good), stop])
  const endpoints = ['acme', 'globex'].map(provider => ({ provider, capabilities: { structuredOutput: 'none' as const } }))
  const under = await gateway({ plugins: [acme.plugin, globex.plugin, listing({ model: 'm', endpoints })] })
  t.teardown(under.stop)
  const whole = await ask(under, { model: 'm', text: { format: invoice } })
  t.equal(said(whole.response), good)
  t.equal(whole.headers.get('x-gateway-attempts'), '2')
  const streamed = await ask(under, { model: 'm', text: { format: invoice }, stream: true })
  t.equal(streamed.response.status, 'failed', 'a stream that has begun cannot')
})

/** A streamed request, read as far as the test wants. */
async function reading(under: GatewayUnderTest, body: object, signal?: AbortSignal) {
  const reply = await under.request('/v1/responses', {
    body: { model: 'm', input: 'hi', stream: true, ...body },
    ...(signal && { signal }),
  })
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
  let all = ''
  const read = async (until: string): Promise<string> => {
    while (!all.includes(until)) {
      const { done, value } = await reader.read()
      if (done) break
      all += value
    }
    return all
  }
  return { read, reader }
}

t.test('a stream begins at once, and its text waits until it is valid', async t => {
  const go = Promise.withResolvers<void>()
  const acme = scripted('acme', async function* () {
    yield [thinking, text('Here: ')]
    await go.promise
    yield [text(good), stop]
  })
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', capabilities: { structuredOutput: 'none' } }] })
  const under = await gateway({ plugins: [acme, list] })
  t.teardown(under.stop)
  const { read } = await reading(under, { text: { format: invoice } })
  const before = await read('"type":"output_text"')
  t.match(before, 'response.reasoning_text.delta')
  t.notMatch(before, /output_text\.delta|Here/)
  go.resolve()
  const all = await read('response.completed')
  t.equal(said(checkStream(all).response), good)
  const deltas = readEvents(all).filter(({ type }) => type === 'response.output_text.delta')
  t.equal(deltas.map(event => event['delta']).join(''), good)
})

t.test('a provider that is heard of while its text is held is not silent', async t => {
  const heard: number[] = []
  async function* events() {
    yield [text('{"a"')]
    yield text(': ')
    yield text('1')
    yield [text('}'), usage(1, 1)]
    yield stop
  }
  const expected = { provider: 'acme', name: undefined, schema: undefined, streamed: true, keyId: 'demo' }
  const attempt = { signal: new AbortController().signal, pause() {}, resume() {} }
  for await (const list of checkedAnswer(events(), expected, attempt)) heard.push(list.length)
  t.same(heard, [1, 0, 0, 1, 0, 5], 'one list for each that came')
})

t.test('a client that leaves while its answer is held ends the call', async t => {
  const ended = Promise.withResolvers<void>()
  const acme = scripted('acme', async function* ({ signal }) {
    try {
      yield text('{"total": ')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    } finally {
      ended.resolve()
    }
  })
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', capabilities: { structuredOutput: 'none' } }] })
  const under = await gateway({ plugins: [acme, list] })
  t.teardown(under.stop)
  const { read, reader } = await reading(under, { text: { format: invoice } })
  await read('content_part.added')
  await reader.cancel()
  await ended.promise
  const [record] = await under.recorded(1)
  t.equal(record!.status, 499)
  t.equal(under.gateway.liveRuns, 0)
})

t.test('a failure of the provider stays what it is', async t => {
  const { under, ask } = await answering('none', function* () {
    yield text('{"total": ')
    throw new ProviderFailure({ kind: 'overloaded', message: 'Too busy.' })
  })
  t.teardown(under.stop)
  t.match(await ask({}).then(reply => reply.error), { message: 'Too busy.' })
  t.match((await ask({ stream: true })).response, { status: 'failed', error: { message: 'Too busy.' } })
})
