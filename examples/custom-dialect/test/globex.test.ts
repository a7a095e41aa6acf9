import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatAdapter } from 'turnpike/dialects'
import { ApiKeys } from 'turnpike/kit'
import responses from 'turnpike/plugins/endpoints/responses'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { checkStream, fakeUpstream, providerSuite, sseFrame, testGateway, type ProviderExample } from 'turnpike/testing'
import globex, { host } from '../globex.ts'

const secret = 'sk-demo-globex'
const keys = new ApiKeys(secret)

const said = (delta: object, finish_reason: string | null = null) => ({
  result: { model: 'globex-2', choices: [{ index: 0, delta, finish_reason }] },
})
const meter = { in: 9, cached: 3, out: { total: 6, thoughts: 2 } }
const usage = { uncachedInput: 9, cacheRead: 3, cacheWrite5m: 0, cacheWrite1h: 0, output: 6, reasoning: 2 }

const greeting: ProviderExample = {
  name: 'a greeting',
  request: {
    model: 'globex-2',
    instructions: 'Be brief.',
    max_output_tokens: 50,
    stop: ['END'],
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'A guest.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes?' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What a day!' }] },
    ],
  },
  sent: {
    model: 'globex-2',
    stream: true,
    max_output: 50,
    stop_sequences: ['END'],
    safety: 'standard',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Yes?', thoughts: 'A guest.' },
      { role: 'user', content: 'What a day!' },
    ],
  },
  stream: {
    body: [
      sseFrame(said({ thoughts: 'Hm.' })),
      sseFrame(said({ content: 'Good ' })),
      sseFrame(said({ content: 'morning 🌍' })),
      sseFrame({ ...said({}, 'complete'), meter }),
      sseFrame('[END]'),
    ].join(''),
    events: [
      { type: 'model', model: 'globex-2' },
      { type: 'reasoning', text: 'Hm.', form: 'full' },
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'morning 🌍' },
      { type: 'usage', usage },
      { type: 'finish', reason: 'stop' },
    ],
  },
  reply: {
    body: { result: { model: 'globex-2', choices: [{ message: { content: 'Good' }, finish_reason: 'truncated' }] }, meter },
    events: [
      { type: 'model', model: 'globex-2' },
      { type: 'text', text: 'Good' },
      { type: 'usage', usage },
      { type: 'finish', reason: 'length' },
    ],
  },
  billed: { input: 12, output: 6 },
}

const nap = { fault: { reason: 'NAP', text: 'Globex is asleep.' } }

test('Globex passes the provider suite', async t => {
  const parts: Promise<unknown>[] = []
  providerSuite(
    { test: (name, run) => parts.push(t.test(name, run)) },
    {
      adapter: chatAdapter(host, { keys }),
      credentialId: keys.credentials?.[0]?.id,
      secrets: [secret],
      examples: [greeting],
      failures: [
        { status: 402, body: '{"fault":{"reason":"EMPTY_PURSE","text":"Please pay."}}', kind: 'quota' },
        { status: 400, body: '{"fault":{"reason":"TOO_LONG","text":"Shorter, please."}}', kind: 'context-length' },
        { status: 460, body: '', kind: 'auth' },
      ],
      failuresInside: [
        { name: 'a nap', kind: 'overloaded', stream: { body: sseFrame(nap), events: [] }, reply: { body: nap } },
        {
          name: 'an overrun',
          kind: 'overloaded',
          stream: { body: sseFrame(said({}, 'overrun')), events: [] },
          reply: { body: { result: { choices: [{ message: { content: '' }, finish_reason: 'overrun' }] } } },
        },
      ],
    },
  )
  await Promise.all(parts)
})

test('an error says what Globex said, and how long to wait', () => {
  const { failure } = chatAdapter(host, { keys })
  const { kind, message, retryAfterMs } = failure(429, {}, '{"fault":{"reason":"TOO_FAST","text":"Slower.","retry_in":2}}')
  assert.deepEqual({ kind, message, retryAfterMs }, { kind: 'rate-limit', message: 'Slower.', retryAfterMs: 2000 })
})

test('Globex answers through a gateway', async () => {
  await using upstream = await fakeUpstream([{ headers: { 'content-type': 'text/event-stream' }, body: greeting.stream!.body }])
  const gateway = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: '00'.repeat(32) }),
      responses({}),
      globex({ apiKey: secret, baseUrl: upstream.url, region: 'eu' }),
    ],
  })
  try {
    const reply = await gateway.request('/v1/responses', { body: { model: 'globex-2', input: 'Hello', stream: true } })
    assert.equal(reply.status, 200)
    const { items } = checkStream(await reply.text())
    assert.match(JSON.stringify(items), /"text":"Good morning 🌍"/)
    const [sent] = upstream.requests
    assert.equal(sent?.url, '/converse')
    assert.equal(sent?.headers['authorization'], `Key ${secret}`)
    assert.equal(sent?.headers['globex-version'], '2026-10')
    assert.deepEqual(
      { ...(sent?.body as object), messages: [] },
      {
        model: 'globex-2',
        stream: true,
        safety: 'standard',
        region: 'eu',
        messages: [],
      },
    )
    assert.ok(!gateway.logs.join('').includes(secret))
  } finally {
    await gateway.stop()
  }
})

test('the message about a mistake in the table names the member', () => {
  const mistaken = { ...host, toolChoise: 'auto', finishReasons: { done: 'end' } }
  assert.throws(() => chatAdapter(mistaken as never), /unknown member toolChoise; did you mean toolChoice\?/)
})
