import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiKeys } from 'turnpike/kit'
import responses from 'turnpike/plugins/endpoints/responses'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { checkStream, fakeUpstream, providerSuite, sseFrame, testGateway, type ProviderExample } from 'turnpike/testing'
import acme, { acmeAdapter } from '../acme.ts'

const secret = 'sk-demo-acme'
const keys = new ApiKeys(secret)

const greeting: ProviderExample = {
  name: 'a greeting',
  request: {
    model: 'rocket-1',
    instructions: 'Be brief.',
    temperature: 0.5,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
  },
  endpoint: { upstreamModel: 'rocket-1-latest' },
  sent: {
    model: 'rocket-1-latest',
    stream: true,
    briefing: 'Be brief.',
    turns: [{ speaker: 'user', text: 'Hello' }],
    temperature: 0.5,
  },
  stream: {
    body: [
      sseFrame({ text: 'Good ' }, 'say'),
      sseFrame({ text: 'morning 🚀' }, 'say'),
      sseFrame({ reason: 'done', tokens: { in: 9, out: 4 } }, 'end'),
    ].join(''),
    events: [
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'morning 🚀' },
      { type: 'usage', usage: { uncachedInput: 9, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 4, reasoning: 0 } },
      { type: 'finish', reason: 'stop' },
    ],
  },
  reply: {
    body: { text: 'Good morning', reason: 'limit', tokens: { in: 9, out: 3 } },
    events: [
      { type: 'text', text: 'Good morning' },
      { type: 'usage', usage: { uncachedInput: 9, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 3, reasoning: 0 } },
      { type: 'finish', reason: 'length' },
    ],
  },
}

test('Acme passes the provider suite', async t => {
  const parts: Promise<unknown>[] = []
  providerSuite(
    { test: (name, run) => parts.push(t.test(name, run)) },
    {
      adapter: acmeAdapter('https://api.acme.example.com', keys),
      credentialId: keys.credentials?.[0]?.id,
      secrets: [secret],
      examples: [greeting],
      failures: [
        { status: 402, body: '{"problem":{"message":"Your account is empty."}}', kind: 'quota' },
        { status: 413, body: '{"problem":{"message":"The turns are too long."}}', kind: 'context-length' },
      ],
    },
  )
  await Promise.all(parts)
})

test('Acme answers through a gateway', async () => {
  await using upstream = await fakeUpstream([{ headers: { 'content-type': 'text/event-stream' }, body: greeting.stream!.body }])
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '00'.repeat(32) }), responses({}), acme({ apiKey: secret, baseUrl: upstream.url })],
  })
  try {
    const reply = await gateway.request('/v1/responses', { body: { model: 'acme/rocket-1', input: 'Hello', stream: true } })
    assert.equal(reply.status, 200)
    const { items } = checkStream(await reply.text())
    assert.match(JSON.stringify(items), /"text":"Good morning 🚀"/)
    const [sent] = upstream.requests
    assert.equal(sent?.url, '/v2/turns')
    assert.equal(sent?.headers['x-acme-key'], secret)
    assert.ok(!gateway.logs.join('').includes(secret))
  } finally {
    await gateway.stop()
  }
})
