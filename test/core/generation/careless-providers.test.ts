import t, { type Test } from 'tap'
import { ProviderFailure, type GenerationEvent, type TokenUsage } from '../../../core/index.ts'
import { checkStream, readEvents } from '../../../core/testing/index.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { gateway, scripted } from '../../kit/gateway.ts'
import { ask, listing, stop, text, witness } from '../../kit/stage.ts'

// Vendors that count, cite and number their calls as they like.

const call = (key: string, callId: string): GenerationEvent => ({ type: 'tool-call', key, name: 'weather', callId })
const input = (key: string, text: string): GenerationEvent => ({ type: 'tool-input', key, text })
const cited = (start: number, end: number): GenerationEvent => ({
  type: 'annotation',
  citation: { type: 'url_citation', url: 'https://example.com', title: 'Example' },
  start,
  end,
})

async function streamed(t: Test, events: readonly GenerationEvent[], body: object = {}): Promise<string> {
  const under = await gateway({ plugins: [witness('demo', () => events).plugin] })
  t.teardown(under.stop)
  const reply = await under.request('/v1/responses', { body: { model: 'demo/one', input: 'Hi', stream: true, ...body } })
  return await reply.text()
}

t.test('a citation stays within its text, and waits for what it cites', async t => {
  const stream = await streamed(t, [text('One'), cited(0, 7), text(' two'), cited(4, 90), cited(-3, 2), stop])
  const annotations = readEvents(stream).filter(({ type }) => type === 'response.output_text.annotation.added')
  const places = annotations.map(({ annotation }) => annotation as { start_index: number; end_index: number })
  t.same(
    places.map(({ start_index, end_index }) => [start_index, end_index]),
    [
      [0, 2],
      [0, 7],
      [4, 7],
    ],
  )
  checkStream(stream)
})

t.test('log probabilities of tokens that have no text are told in the stream', async t => {
  const said: GenerationEvent = { type: 'text', text: '', logprobs: [{ token: '<end>', logprob: -1 }] }
  const stream = await streamed(t, [text('Hi'), said, stop], { top_logprobs: 1 })
  t.match(checkStream(stream).items[0], { content: [{ text: 'Hi', logprobs: [{ token: '<end>' }] }] })
})

t.test('tokens are counted as tokens can be', async t => {
  const usage: TokenUsage = { uncachedInput: 5, cacheRead: 1.5, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 9 }
  const under = await gateway({ plugins: [witness('demo', () => [text('Hi'), { type: 'usage', usage }, stop]).plugin] })
  t.teardown(under.stop)
  const { response, requestId } = await ask(under, { model: 'demo/one' })
  t.match(response['usage'], { input_tokens: 6, output_tokens: 2, output_tokens_details: { reasoning_tokens: 2 }, total_tokens: 8 })
  t.same((await under.record(requestId)).usage, { ...usage, cacheRead: 1, reasoning: 2 })
})

const good: TokenUsage = { uncachedInput: 5, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0 }
const badUsages: readonly (readonly [unknown, string])[] = [
  [{ input_tokens: 5, output_tokens: 2 }, 'a usage with the unknown member `input_tokens`: expected uncachedInput, cacheRead, '],
  [{ ...good, cachedInput: 1 }, 'a usage with the unknown member `cachedInput`: expected '],
  [{ ...good, uncachedInput: -5 }, 'a usage with a bad `uncachedInput`: expected a number from 0, got -5'],
  [{ ...good, output: Number.NaN }, 'a usage with a bad `output`: expected a number from 0, got NaN'],
  [{ ...good, output: Infinity }, 'a usage with a bad `output`: expected a number from 0, got Infinity'],
  [{ ...good, output: '2' }, 'a usage with a bad `output`: expected a number from 0, got a string'],
  [{ uncachedInput: 5, output: 2 }, 'a usage with a bad `cacheRead`: expected a number from 0, got undefined'],
  [{ ...good, toolCalls: { web_search: -1 } }, 'a usage with a bad `toolCalls.web_search`: expected a number from 0, got -1'],
  [{ ...good, toolCalls: 3 }, 'a usage with a bad `toolCalls`: expected an object of numbers, got 3'],
  [undefined, 'a usage that is no object: got undefined'],
  [null, 'a usage that is no object: got null'],
]

t.test('a usage that cannot be billed is never a bill of 0: the gateway counts, and the log names plugin and member', async t => {
  const price = { input: 1, output: 10 }
  for (const [usage, problem] of badUsages) {
    for (const stream of [false, true]) {
      const events = [text('Hello there'), { type: 'usage', usage } as GenerationEvent, stop]
      const under = await gateway({
        plugins: [witness('demo', () => events).plugin, listing({ model: 'one', endpoints: [{ provider: 'demo', price }] })],
      })
      t.teardown(under.stop)
      const reply = await under.request('/v1/responses', { body: { model: 'demo/one', input: 'Hi', stream } })
      t.equal(reply.status, 200)
      await reply.text()
      const record = await under.record(reply.headers.get('x-request-id')!)
      t.match(record.usage, { estimated: true }, problem)
      t.ok(record.usage!.uncachedInput > 0 && record.usage!.output > 0, problem)
      t.ok(record.costUsd! > 0, problem)
      const [line, ...others] = under.logs.map(each => JSON.parse(each)).filter(({ level }) => level === 'error')
      t.match(line, { provider: 'demo', plugin: /demo/, request: record.id, message: /^usage cannot be billed/ })
      t.match(line.reason, `reported ${problem}`)
      t.same(others, [], 'told once')
    }
  }
})

t.test('an attempt that failed after a usage that cannot be billed is not billed by it', async t => {
  async function* failing(): AsyncGenerator<GenerationEvent> {
    yield { type: 'usage', usage: { ...good, output: Number.NaN } }
    throw new ProviderFailure({ kind: 'unavailable', message: 'Try again.' })
  }
  const listed = listing({ model: 'one', endpoints: [{ provider: 'demo', price: { input: 1, output: 10 }, maxOutputTokens: 100 }] })
  const under = await gateway({ plugins: [scripted('demo', failing), listed], key: { spendCapUsd: 1 } })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'demo/one' })).status, 424)
  t.match(under.logs.join(''), /reported a usage with a bad `output`: expected a number from 0, got NaN/)
})

t.test('input for a call that never was is the provider’s failure, whenever it shows', async t => {
  const events = [call('a', 'call_1'), input('b', '{'), stop]
  const under = await gateway({ plugins: [witness('demo', () => events).plugin] })
  t.teardown(under.stop)
  const { status, error } = await ask(under, { model: 'demo/one' })
  t.equal(status, 424)
  t.match(error, { type: 'provider_error', code: 'provider_error' })
  const { response } = checkStream(await streamed(t, events))
  t.match(response, { status: 'failed', error: { code: 'provider_error' } })
  const [line, ...others] = under.logs.map(each => JSON.parse(each)).filter(({ level }) => level === 'error')
  t.match(line, { plugin: /demo/, provider: 'demo', message: 'a provider plugin failed' })
  t.match(line.reason, /yielded an event "tool-input" with a bad `key`: expected that of an earlier tool-call, got another$/)
  t.same(others, [], 'told once')
})

t.test('two calls of a reply never have the same id', async t => {
  const { items } = checkStream(await streamed(t, [call('a', 'call_0'), input('a', '{}'), call('b', 'call_0'), input('b', '{}'), stop]))
  t.equal(items[0]!['call_id'], 'call_0')
  t.not(items[1]!['call_id'], 'call_0')
})

t.test('calls of different replies may, and each of them is answered once', async t => {
  const under = await gateway({ plugins: [witness('demo', () => [text('Hi'), stop]).plugin] })
  t.teardown(under.stop)
  const asked = { type: 'function_call', call_id: 'call_0', name: 'weather', arguments: '{}' }
  const answered = { type: 'function_call_output', call_id: 'call_0', output: 'Sunny' }
  t.equal((await ask(under, { model: 'demo/one', input: [asked, answered, asked, answered] })).status, 200)
  const { status, error } = await ask(under, { model: 'demo/one', input: [asked, answered, asked, answered, answered] })
  t.equal(status, 400)
  t.equal(error.param, 'input[4].call_id')
})

const thought: GenerationEvent = { type: 'reasoning', text: 'Hm', form: 'summary' }
const bare = (key: string): GenerationEvent => ({ type: 'tool-call', key, name: 'weather' })
const search = { type: 'search', key: 's', status: 'completed', action: { type: 'search', query: 'weather' } } as const
const pause: GenerationEvent = { type: 'finish', reason: 'pause' }

const answers: Readonly<Record<string, readonly (readonly GenerationEvent[])[]>> = {
  'a search between two texts': [[text('One'), search, text('Two'), stop]],
  'a search that another round finishes': [
    [{ ...search, status: 'in_progress' }, pause],
    [{ ...search, action: { type: 'search', query: '' } }, text('Found'), stop],
  ],
  'a citation among thoughts': [[thought, cited(0, 1), thought, stop]],
  'an end of a text behind a call without arguments': [[bare('a'), text('One'), { type: 'item-end' }, text('Two'), stop]],
  'keys that the next round uses again': [
    [bare('a'), pause],
    [bare('a'), input('a', '{}'), text('Done'), stop],
  ],
}

t.test('the next turn sends exactly the shown output', async t => {
  for (const [name, rounds] of Object.entries(answers)) {
    const asked = witness('demo', (_, count) => rounds[count - 1] ?? [text('Next'), stop])
    const under = await gateway({ plugins: [asked.plugin] })
    t.teardown(under.stop)
    const { response } = await ask(under, { model: 'demo/one' })
    await ask(under, { model: 'demo/one', previous_response_id: response.id })
    const kept = asked.calls.at(-1)!.request.input.slice(1, -1)
    t.same(kept.map(essence), response.output.map(essence), name)
  }
})

function essence(item: object): object {
  const { type, id, call_id, arguments: args, content, summary } = item as Record<string, unknown>
  return { type, id, call_id, args, content, summary }
}

const greeting = text('Hi')

t.test('an event or a finish reason that nobody knows is the provider’s failure, and the log names its plugin', async t => {
  for (const [events, reason] of [
    [
      [{ type: 'txt', text: 'Hi' }, stop],
      /yielded an event with a bad `type`: expected one of GenerationEvent, .*, got another string \(\\"txt\\"\)/,
    ],
    [
      [greeting, { type: 'done' }, stop],
      /yielded an event with a bad `type`: expected one of GenerationEvent, .*, got another string \(\\"done\\"\)/,
    ],
    [[undefined, stop], /yielded undefined as an event: expected an object with a `type`/],
    [[null, stop], /yielded null as an event: expected an object with a `type`/],
    [['Hello', stop], /yielded a string as an event: expected an object with a `type`"/],
    [[{ text: 'Hello' }, stop], /yielded an event with a bad `type`: expected a string, got undefined/],
    [[{ type: 'tool-call' }, stop], /yielded an event \\"tool-call\\" with a bad `key`: expected a string, got undefined/],
    [[{ type: 'tool-call', key: 'a' }, stop], /yielded an event \\"tool-call\\" with a bad `name`: expected a string, got undefined/],
    [[{ type: 'item', item: { type: 'x', n: 1n } }, stop], /\\"item\\" with a bad `item`: expected an object of JSON, got another object/],
    [[{ type: 'item', item: {} }, stop], /\\"item\\" with a bad `item.type`: expected a string, got undefined/],
    [
      [{ type: 'search', key: 's', status: 'completed' }, stop],
      /\\"search\\" with a bad `action`: expected an object of JSON, got undefined/,
    ],
    [[{ type: 'compaction' }, stop], /\\"compaction\\" with a bad `opaque`: expected a string, got undefined/],
    [
      [greeting, { type: 'finish', reason: 'done' }],
      /a finish with a bad `reason`: expected one of stop, length.*another string \(\\"done\\"\)/,
    ],
    [[{ type: 'text', text: 5 }, stop], /yielded an event \\"text\\" whose text is not a string/],
  ] as const) {
    const demo = witness('demo', () => events as unknown as readonly GenerationEvent[])
    const spare = witness('spare', () => [text('Hello'), stop])
    const under = await gateway({ plugins: [demo.plugin, spare.plugin] })
    const { status, error } = await ask(under, { model: 'demo/one' })
    t.equal(status, 424)
    t.match(error, { type: 'provider_error', code: 'provider_error' })
    const line = under.logs.find(each => each.includes('a provider plugin failed'))
    t.match(line, reason)
    t.match(line, '"plugin":"scripted-demo"')
    const [record] = await under.recorded(1)
    t.match(record!.attempts, [{ provider: 'demo', outcome: 'protocol' }])
    t.teardown(under.stop)
    if ((events[0] as object | null | undefined) === greeting) continue
    const elsewhere = await ask(under, { model: 'demo/one', routing: { model: { fallbacks: ['spare/one'] } } })
    t.equal(elsewhere.status, 200, 'another provider is asked while nothing has been said')
  }
})

t.test('the log quotes no unknown type or reason that may be content', async t => {
  const cases = [
    [{ type: 'Tell me of Jane Doe' }, true],
    [{ type: 'finish', reason: 'Jane Doe has left' }, true],
    [{ type: 'JaneDoe' }, false],
    [{ type: 'finish', reason: 'JaneDoe' }, false],
  ] as const
  for (const [event, logging] of cases) {
    const demo = witness('demo', () => [event, stop] as unknown as readonly GenerationEvent[])
    const under = await gateway({ plugins: [demo.plugin], key: { policy: { logging: { value: logging } } } })
    t.teardown(under.stop)
    t.equal((await ask(under, { model: 'demo/one' })).status, 424)
    t.match(under.logs.join(''), /bad `type`|bad `reason`/)
    t.notMatch(under.logs.join(''), /Jane/)
  }
})

function iterating(steps: readonly unknown[], more: object = {}): PluginUse {
  return scripted('demo', () => {
    const left = [...steps]
    const iterator = { next: async () => (left.length > 0 ? left.shift() : { done: true, value: undefined }), ...more }
    return { [Symbol.asyncIterator]: () => iterator } as AsyncIterable<GenerationEvent>
  })
}

t.test('an iterator that gives no results fails at once, and the log names the plugin', async t => {
  const first = { done: false, value: text('Hi') }
  for (const [plugin, reason] of [
    [iterating([null]), /gave null from next\(\) of its iterator: expected an object with `done` and `value`/],
    [iterating([first, 'Hello']), /gave a string from next\(\) of its iterator/],
    [scripted('demo', () => ({ [Symbol.asyncIterator]: () => null }) as never), /returned no iterator from \[Symbol.asyncIterator\]/],
  ] as const) {
    for (const stream of [false, true]) {
      const under = await gateway({ plugins: [plugin] })
      t.teardown(under.stop)
      const reply = await under.request('/v1/responses', { body: { model: 'demo/one', input: 'Hi', stream } })
      t.match(await reply.text(), /provider_error/)
      const [record] = await under.recorded(1)
      t.match(record!.attempts, [{ outcome: 'protocol' }])
      const line = under.logs.map(each => JSON.parse(each)).find(({ message }) => message === 'a provider plugin failed')
      t.match(line, { plugin: 'scripted-demo', reason })
    }
  }
})

t.test('an iterator that throws as its steps are asked for fails the attempt', async t => {
  let asked = 0
  const next = (): Promise<unknown> => {
    if (++asked > 1) throw new Error('no more')
    return Promise.resolve({ done: false, value: { type: 'model', model: 'one' } })
  }
  const under = await gateway({ plugins: [iterating([], { next })] })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'demo/one' })).status, 424)
})

t.test('a return() that throws after a complete answer does not matter', async t => {
  const steps = [text('Hi'), stop].map(value => ({ done: false, value }))
  const failing = (): never => {
    throw new Error('cannot close')
  }
  for (const more of [{ return: failing }, { return: async () => failing() }]) {
    const under = await gateway({ plugins: [iterating(steps, more)] })
    t.teardown(under.stop)
    const { status, response } = await ask(under, { model: 'demo/one' })
    t.equal(status, 200)
    t.equal(response['status'], 'completed')
  }
})

t.test('a usage that throws when it is read counts as unreported', async t => {
  const usage = {
    ...good,
    get output(): number {
      throw new Error('lost')
    },
  }
  for (const stream of [false, true]) {
    const under = await gateway({ plugins: [witness('demo', () => [text('Hello there'), { type: 'usage', usage }, stop]).plugin] })
    t.teardown(under.stop)
    const { status, requestId } = await ask(under, { model: 'demo/one', stream })
    t.equal(status, 200)
    t.match((await under.record(requestId)).usage, { estimated: true })
    t.match(under.logs.join(''), /plugin scripted-demo reported a usage that throws when it is read/)
  }
})
