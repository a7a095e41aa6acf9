import t from 'tap'
import type { GenerationEvent, JsonObject } from '../../../../core/index.ts'
import { ProviderFailure } from '../../../../core/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { listing, stop, text, witness } from '../../../kit/stage.ts'
import { askMessages, type MessageReply } from './stage.ts'

const counts: GenerationEvent = {
  type: 'usage',
  usage: { uncachedInput: 5, cacheRead: 3, cacheWrite5m: 2, cacheWrite1h: 1, output: 9, reasoning: 4, toolCalls: { web_search: 1 } },
}

/** The answer to the same request, whole and streamed, which must be the same message. */
async function answered(events: readonly GenerationEvent[], body: object = {}): Promise<MessageReply> {
  const under = await gateway({
    plugins: [
      messages({}),
      witness('acme', () => events).plugin,
      listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] }),
    ],
  })
  try {
    const whole = await askMessages(under, { model: 'acme/m', ...body })
    const streamed = await askMessages(under, { model: 'acme/m', ...body, stream: true })
    const { id: _1, ...one } = whole.body
    const { id: _2, ...other } = streamed.body
    t.same(unsigned(other), unsigned(one), 'the stream adds up to the whole message')
    return streamed
  } finally {
    await under.stop()
  }
}

/** Sealed state differs each time. */
function unsigned(message: object): unknown {
  return JSON.parse(JSON.stringify(message, (name, value: unknown) => (name === 'signature' || name === 'data' ? '…' : value)))
}

t.test('text, thinking and calls are blocks, and the usage is complete', async t => {
  const { body, events } = await answered([
    { type: 'reasoning', text: 'Hm', form: 'summary' },
    { type: 'reasoning', text: 'Aha', form: 'summary', newPart: true },
    { type: 'reasoning-state', opaque: 'state' },
    text('Hel'),
    text('lo'),
    { type: 'tool-call', key: 'a', callId: 'call_1', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{"x":' },
    { type: 'tool-input', key: 'a', text: '1}' },
    { type: 'tool-call', key: 'b', callId: 'call_2', name: 'rest' },
    counts,
    { type: 'finish', reason: 'tool-calls' },
  ])
  t.match(body, {
    id: /^msg_/,
    type: 'message',
    role: 'assistant',
    model: 'acme/m',
    content: [
      { type: 'thinking', thinking: 'Hm\n\nAha', signature: /^tps1\./ },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 'call_1', name: 'look', input: { x: 1 } },
      { type: 'tool_use', id: 'call_2', name: 'rest', input: {} },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: 5,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 1 },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    },
  })
  t.equal(body.usage['cost_usd'], null, 'the price of a search is unknown')
  t.strictSame(
    events.map(({ type }) => type),
    [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ],
  )
})

t.test('thinking comes back as it was, with and without state', async t => {
  const acme = witness('acme', () => [
    { type: 'reasoning', text: 'Raw', form: 'full' },
    { type: 'item-end' },
    { type: 'reasoning-state', opaque: 'hidden' },
    text('Hello'),
    stop,
  ])
  const under = await gateway({ plugins: [messages({}), acme.plugin, witness('other', () => [text('Hi'), stop]).plugin] })
  t.teardown(under.stop)
  const { body } = await askMessages(under, { model: 'acme/m' })
  t.match(body.content, [{ type: 'thinking', thinking: 'Raw', signature: 'tpu1.full' }, { type: 'redacted_thinking', data: /^tps1\./ }, {}])
  const next = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: body.content },
    { role: 'user', content: 'more' },
  ]
  const back = await askMessages(under, { model: 'acme/m', messages: next })
  t.equal(back.headers.get('x-gateway-warnings'), null)
  t.match(acme.calls[1]!.request.input.slice(1, 3), [
    { type: 'reasoning', content: [{ text: 'Raw' }], encrypted_content: undefined },
    { type: 'reasoning', encrypted_content: 'hidden' },
  ])
  const elsewhere = await askMessages(under, { model: 'other/m', messages: next })
  t.match(elsewhere.headers.get('x-gateway-warnings'), /^messages: 1 items carried state from another provider/)
})

t.test('every reason to stop', async t => {
  for (const [reason, told] of [
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool-calls', 'tool_use'],
    ['content-filter', 'refusal'],
  ] as const) {
    const { body } = await answered([text('Hello'), { type: 'finish', reason }])
    t.equal(body['stop_reason'], told)
    t.type(body.usage['cost_usd'], 'number')
  }
  const { body } = await answered([{ type: 'refusal', text: 'I will not.' }, stop])
  t.match(body, {
    content: [{ type: 'text', text: 'I will not.' }],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', explanation: 'I will not.' },
  })
})

t.test('a call that was broken off is left out of a whole message', async t => {
  const events: GenerationEvent[] = [
    text('Hello'),
    { type: 'tool-call', key: 'a', callId: 'call_1', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{"x": "unfin' },
    { type: 'finish', reason: 'length' },
  ]
  const under = await gateway({ plugins: [messages({}), witness('acme', () => events).plugin] })
  t.teardown(under.stop)
  const { body } = await askMessages(under, { model: 'acme/m' })
  t.match(body, { content: [{ type: 'text' }], stop_reason: 'max_tokens' })
  t.equal(body.content.length, 1)
})

t.test('annotations are citations, and do not go back to a vendor', async t => {
  const { body } = await answered([
    text('It is sunny.'),
    { type: 'annotation', citation: { type: 'url_citation', url: 'https://example.com/a', title: 'A' }, start: 6, end: 12 },
    stop,
  ])
  t.match(body.content, [
    {
      text: 'It is sunny.',
      citations: [
        { type: 'web_search_result_location', cited_text: 'sunny.', url: 'https://example.com/a', title: 'A', encrypted_index: '' },
      ],
    },
  ])
})

t.test('a search has two blocks, which come back as one item', async t => {
  const acme = witness('acme', () => [
    {
      type: 'search',
      key: 's',
      status: 'completed',
      action: { type: 'search', query: 'weather', sources: [{ type: 'url', url: 'https://example.com/a' }] },
      results: [{ url: 'https://example.com/a', title: 'A' }],
    },
    text('Sunny.'),
    stop,
  ])
  const under = await gateway({ plugins: [messages({}), acme.plugin] })
  t.teardown(under.stop)
  for (const stream of [false, true]) {
    const { body } = await askMessages(under, { model: 'acme/m', stream })
    t.match(body.content, [
      { type: 'server_tool_use', id: /^srvtoolu_ws_/, name: 'web_search', input: { query: 'weather' } },
      {
        type: 'web_search_tool_result',
        content: [{ type: 'web_search_result', url: 'https://example.com/a', title: 'A', encrypted_content: '' }],
      },
      { type: 'text' },
    ])
    t.equal(body.content[1]!['tool_use_id'], body.content[0]!['id'])
    await askMessages(under, {
      model: 'acme/m',
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: body.content },
        { role: 'user', content: 'hi' },
      ],
    })
    t.match(acme.calls.at(-1)!.request.input, [
      {},
      { type: 'web_search_call', id: /^ws_/, action: { query: 'weather' } },
      { role: 'assistant' },
      {},
    ])
    t.equal(acme.calls.at(-1)!.request.input.length, 4)
  }
})

t.test('a stream that breaks off ends with an error, and never as a success', async t => {
  const under = await gateway({
    plugins: [
      messages({}),
      witness('acme', function* () {
        yield text('Hel')
        throw new ProviderFailure({ kind: 'overloaded', message: 'Overloaded' })
      }).plugin,
    ],
    settings: { retries: 0 },
  })
  t.teardown(under.stop)
  const { events, body, headers } = await askMessages(under, { model: 'acme/m', stream: true })
  t.equal(events.at(-1)!['type'], 'error')
  t.notOk(events.some(({ type }) => type === 'message_stop' || type === 'message_delta'))
  t.match(body as JsonObject, { error: { type: 'overloaded_error', message: /Overloaded/ }, request_id: headers.get('x-request-id') })
})
