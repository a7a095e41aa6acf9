import t from 'tap'
import { ProviderFailure, type GenerationEvent, type JsonObject } from '../../../../core/index.ts'
import chat from '../../../../plugins/endpoints/chat/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { listing, stop, text, witness } from '../../../kit/stage.ts'
import { askChat, type ChatReply } from './stage.ts'

const counts: GenerationEvent = {
  type: 'usage',
  usage: { uncachedInput: 5, cacheRead: 3, cacheWrite5m: 2, cacheWrite1h: 1, output: 9, reasoning: 4 },
}

/** The answer to the same request, whole and streamed, which must be the same completion. */
async function answered(events: readonly GenerationEvent[], body: object = {}): Promise<ChatReply> {
  const under = await gateway({
    plugins: [
      chat({}),
      witness('acme', () => events).plugin,
      listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] }),
    ],
  })
  try {
    const whole = await askChat(under, { model: 'acme/m', ...body })
    const streamed = await askChat(under, { model: 'acme/m', ...body, stream: true, stream_options: { include_usage: true } })
    t.same(unsealed(streamed.body), unsealed(whole.body), 'the stream adds up to the whole completion')
    return streamed
  } finally {
    await under.stop()
  }
}

/** Sealed state, ids and times differ each time. */
function unsealed({ id: _, created: __, ...completion }: JsonObject): unknown {
  return JSON.parse(JSON.stringify(completion, (name, value: unknown) => (name === 'data' ? '…' : value)))
}

function messageOf({ body }: ChatReply): JsonObject {
  return body.choices[0]!.message
}

t.test('text, reasoning and calls are one message, and the usage is complete', async t => {
  const reply = await answered([
    { type: 'reasoning', text: 'Hm.', form: 'full' },
    text('Let me '),
    text('look.'),
    { type: 'tool-call', key: 'a', callId: 'call_a', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{"x": ' },
    { type: 'tool-input', key: 'a', text: '1}' },
    { type: 'tool-call', key: 'b', callId: 'call_b', name: 'look' },
    { type: 'tool-input', key: 'b', text: '{}' },
    counts,
    { type: 'finish', reason: 'tool-calls' },
  ])
  t.same(reply.body.choices, [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Let me look.',
        refusal: null,
        reasoning_content: 'Hm.',
        reasoning: 'Hm.',
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'look', arguments: '{"x": 1}' } },
          { id: 'call_b', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ])
  t.same(reply.body.usage, {
    prompt_tokens: 11,
    completion_tokens: 9,
    total_tokens: 20,
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 4 },
    cost_usd: 0.00002,
  })
  t.equal(reply.body['model'], 'acme/m')
})

t.test('the usage comes last, without choices, and only if it was asked for', async t => {
  const under = await gateway({ plugins: [chat({}), witness('acme', () => [text('hi'), counts, stop]).plugin] })
  t.teardown(under.stop)
  const asked = await askChat(under, { model: 'acme/m', stream: true, stream_options: { include_usage: true } })
  t.match(asked.chunks.at(-1), { choices: [], usage: { completion_tokens: 9 } })
  t.ok(asked.chunks.slice(0, -1).every(chunk => chunk['usage'] === null))
  const unasked = await askChat(under, { model: 'acme/m', stream: true })
  t.ok(unasked.chunks.every(chunk => !('usage' in chunk)))
  t.ok(unasked.isDone)
})

t.test('a call alone has no content', async t => {
  const reply = await answered([
    { type: 'tool-call', key: 'a', callId: 'call_a', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{}' },
    stop,
  ])
  t.equal(messageOf(reply)['content'], null)
  t.equal(reply.body.choices[0]!.finish_reason, 'tool_calls')
})

t.test('arguments that were broken off stay as they are', async t => {
  const reply = await answered([
    { type: 'tool-call', key: 'a', callId: 'call_a', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{"x": "un' },
    { type: 'finish', reason: 'length' },
  ])
  t.match(messageOf(reply), { tool_calls: [{ function: { arguments: '{"x": "un' } }] })
  t.equal(reply.body.choices[0]!.finish_reason, 'length')
})

t.test('custom calls, in pieces', async t => {
  const reply = await answered([
    { type: 'tool-call', key: 'a', callId: 'call_a', name: 'patch', custom: true },
    { type: 'tool-input', key: 'a', text: '*** Begin' },
    { type: 'tool-input', key: 'a', text: ' Patch' },
    stop,
  ])
  t.same(messageOf(reply)['tool_calls'], [{ id: 'call_a', type: 'custom', custom: { name: 'patch', input: '*** Begin Patch' } }])
})

t.test('the older form of calls', async t => {
  const reply = await answered(
    [{ type: 'tool-call', key: 'a', callId: 'call_a', name: 'look' }, { type: 'tool-input', key: 'a', text: '{"x":1}' }, stop],
    { functions: [{ name: 'look', parameters: { type: 'object' } }] },
  )
  t.same(messageOf(reply), { role: 'assistant', content: null, refusal: null, function_call: { name: 'look', arguments: '{"x":1}' } })
  t.equal(reply.body.choices[0]!.finish_reason, 'function_call')
})

t.test('a refusal has a member of its own', async t => {
  const reply = await answered([{ type: 'refusal', text: 'I will ' }, { type: 'refusal', text: 'not.' }, stop])
  t.same(messageOf(reply), { role: 'assistant', content: null, refusal: 'I will not.' })
  t.equal(reply.body.choices[0]!.finish_reason, 'stop')
})

t.test('each finish', async t => {
  const expected = { stop: 'stop', length: 'length', 'content-filter': 'content_filter', 'tool-calls': 'tool_calls' } as const
  for (const [reason, finish] of Object.entries(expected)) {
    const reply = await answered([text('hi'), { type: 'finish', reason: reason as keyof typeof expected }])
    t.equal(reply.body.choices[0]!.finish_reason, finish)
  }
})

t.test('log probabilities', async t => {
  const logprob = { token: 'hi', logprob: -0.5, bytes: [104, 105], top_logprobs: [{ token: 'hi', logprob: -0.5 }] }
  const reply = await answered([{ type: 'text', text: 'hi', logprobs: [logprob] }, stop], { logprobs: true, top_logprobs: 1 })
  const told = { ...logprob, top_logprobs: [{ token: 'hi', logprob: -0.5, bytes: null }] }
  t.same(reply.body.choices[0]!.logprobs, { content: [told], refusal: null })
})

t.test('citations count from the start of the content', async t => {
  const cite = (url: string): GenerationEvent => ({
    type: 'annotation',
    citation: { type: 'url_citation', url, title: 'A' },
    start: 0,
    end: 5,
  })
  const reply = await answered([
    text('Sunny'),
    cite('https://example.com/a'),
    { type: 'search', key: 's', status: 'completed', action: { type: 'search', query: 'weather' } },
    text('Still'),
    cite('https://example.com/b'),
    stop,
  ])
  t.match(messageOf(reply), {
    content: 'Sunny\n\nStill',
    annotations: [
      { type: 'url_citation', url_citation: { start_index: 0, end_index: 5, url: 'https://example.com/a' } },
      { type: 'url_citation', url_citation: { start_index: 7, end_index: 12, url: 'https://example.com/b' } },
    ],
  })
})

t.test('state is sealed, and says which call it belongs to', async t => {
  const reply = await answered([
    { type: 'reasoning', text: 'First.', form: 'summary' },
    { type: 'reasoning-state', opaque: 'secret-1' },
    { type: 'reasoning-state', opaque: 'secret-2' },
    { type: 'tool-call', key: 'a', callId: 'call_a', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{}' },
    stop,
  ])
  t.match(messageOf(reply), {
    reasoning: 'First.',
    reasoning_details: [
      { type: 'reasoning.encrypted', id: null, index: 0, data: /^tps1\./ },
      { type: 'reasoning.encrypted', id: 'call_a', index: 1, data: /^tps1\./ },
    ],
  })
  t.notMatch(JSON.stringify(reply.body), /secret/)
})

t.test('`exclude` leaves the words of the reasoning out', async t => {
  const reply = await answered([{ type: 'reasoning', text: 'Hm.', form: 'full' }, text('hi'), stop], {
    reasoning: { effort: 'low', exclude: true },
  })
  t.same(messageOf(reply), { role: 'assistant', content: 'hi', refusal: null })
})

t.test('a stream that breaks off ends with an error and without [DONE]', async t => {
  const broken = function* (): Generator<GenerationEvent> {
    yield text('hi')
    throw new ProviderFailure({ kind: 'unavailable', message: 'The provider broke.' })
  }
  const under = await gateway({ plugins: [chat({}), witness('acme', broken as never).plugin] })
  t.teardown(under.stop)
  const reply = await askChat(under, { model: 'acme/m', stream: true })
  t.notOk(reply.isDone)
  t.match(reply.body.error, { type: /./, code: 'provider_error', message: /./ })
  t.notOk(reply.chunks.some(chunk => JSON.stringify(chunk).includes('"finish_reason":"')))
})

t.test('a spent chain is a 503, or what the operator says', async t => {
  const fails = witness('acme', () => {
    throw new ProviderFailure({ kind: 'unavailable', message: 'Down.' })
  }).plugin
  for (const [options, status] of [
    [{}, 503],
    [{ upstreamFailureStatus: 502 }, 502],
  ] as const) {
    const under = await gateway({ plugins: [chat(options), fails], settings: { retries: 0 } })
    t.teardown(under.stop)
    const reply = await askChat(under, { model: 'acme/m' })
    t.equal(reply.status, status)
    t.match(reply.body.error, { code: 'provider_error' })
  }
})

t.test('a schema that cannot be checked is named as the caller wrote it', async t => {
  const acme = witness('acme', () => [text('{}'), stop], { dialect: 'demo' })
  const under = await gateway({
    plugins: [
      chat({}),
      acme.plugin,
      listing({ model: 'm', endpoints: [{ provider: 'acme', capabilities: { structuredOutput: 'none' } }] }),
    ],
  })
  t.teardown(under.stop)
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema: { $ref: '#' } } }
  const { status, body } = await askChat(under, { model: 'm', response_format })
  t.equal(status, 400)
  t.match(body.error, { param: 'response_format.json_schema.schema', message: /'response_format\.json_schema\.schema'/ })
})
