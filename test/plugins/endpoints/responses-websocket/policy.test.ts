import t from 'tap'
import redaction from '../../../../plugins/guardrails/redaction/index.ts'
import zdr from '../../../../plugins/guardrails/zdr/index.ts'
import { scripted } from '../../../kit/gateway.ts'
import { Peer, textOf, underTest } from './stage.ts'

// Each message is a request: policy, guardrails and limits are the same as over HTTP.

const hundred = Array.from({ length: 100 })

t.test('a policy that no endpoint satisfies', async t => {
  const under = await underTest(t, {}, { plugins: [zdr({})] })
  const peer = await Peer.open(under, await under.gateway.issueKey({ name: 'z', policy: { zdr: { value: true } } }))
  for (const generate of [true, false]) {
    const event = await peer.fails({ input: 'a', generate, ...(generate && { stream_id: 'a' }) })
    t.equal(event['status'], 422)
    t.same(Object.keys(event['error']).sort(), ['message', 'type'])
  }
})

t.test('redaction: the vendor sees placeholders, the client and the memory of the lane do not', async t => {
  const seen: string[] = []
  const vendor = scripted('vendor', async function* ({ request }) {
    const text = JSON.stringify(request.input)
    seen.push(text)
    yield { type: 'text', text: /\[EMAIL_\d+\]|\[[A-Z_]+\d*\]/.exec(text)?.[0] ?? 'none' }
    yield { type: 'finish', reason: 'stop' }
  })
  const under = await underTest(t, {}, { plugins: [redaction({}), vendor] })
  const settings = { detectors: ['email'], replacement: 'placeholder', restore: true }
  const key = await under.gateway.issueKey({ name: 'r', policy: { redaction: { value: true, settings } } })
  const peer = await Peer.open(under, key)
  const first = await peer.answer({ model: 'vendor/any', input: 'Write to ada@example.com' })
  t.equal(textOf(first), 'ada@example.com')
  const second = await peer.answer({ model: 'vendor/any', input: 'Again', previous_response_id: first['id'] })
  t.equal(textOf(second), 'ada@example.com')
  t.notMatch(seen.join('\n'), /ada@/)
  t.equal(seen[1]!.split(textOfPlaceholder(seen[1]!)).length, 3, 'the answer that it saw is a placeholder, too')
})

function textOfPlaceholder(text: string): string {
  return /\[[A-Z_]+\d*\]/.exec(text)![0]
}

t.test('with logging off, no content leaves the connection', async t => {
  const under = await underTest(t)
  const key = await under.gateway.issueKey({ name: 'private', policy: { logging: { value: false } } })
  const peer = await Peer.open(under, key)
  const first = await peer.answer({ input: 'CANARY one' })
  await peer.answer({ input: 'CANARY two', previous_response_id: first['id'] })
  await peer.answer({ input: 'CANARY three', generate: false })
  await peer.fails({ input: 'CANARY four', temperature: 'CANARY' })
  peer.send('{"CANARY')
  await peer.next('error')
  peer.close()
  const records = await under.recorded(6)
  t.notMatch(JSON.stringify(records), /CANARY/)
  t.notMatch(under.logs.join('\n'), /CANARY/)
})

t.test('limits and caps of the key hold', async t => {
  const under = await underTest(t)
  const limited = await Peer.open(under, await under.gateway.issueKey({ name: 'l', limits: [{ requests: 2, windowMs: 3_600_000 }] }))
  const first = await limited.answer({ input: 'a' })
  t.match(limited.events[0]!['headers'], { 'x-ratelimit-limit-requests': '2', 'x-ratelimit-remaining-requests': '1' })
  await limited.answer({ input: 'b', previous_response_id: first['id'] })
  const refused = await limited.fails({ input: 'c' })
  t.match(refused, {
    status: 429,
    error: { code: 'rate_limit_exceeded' },
    headers: { 'retry-after': /\d+/, 'x-ratelimit-remaining-requests': '0' },
  })

  const poor = await Peer.open(under, await under.gateway.issueKey({ name: 'p', spendCapUsd: 1e-9, spendPeriod: 'day' }))
  t.match(await poor.fails({ input: 'a' }), { status: 402, error: { code: 'insufficient_credits' } })
})

t.test('200 at once, over many connections and lanes', async t => {
  const under = await underTest(t)
  const peers = await Promise.all(hundred.slice(0, 20).map(() => Peer.open(under)))
  await Promise.all(
    peers.map(async (peer, at) => {
      for (let lane = 0; lane < 10; lane++) peer.create({ input: `${at}-${lane}`, stream_id: `${lane}` })
      const texts = []
      for (let lane = 0; lane < 10; lane++) texts.push(textOf(await peer.last()))
      t.same(
        texts.sort(),
        hundred.slice(0, 10).map((_, lane) => `${at}-${lane}`),
      )
      if (at % 2 === 0) peer.create({ model: 'sandbox/slow', input: '{"firstMs":60000,"betweenMs":0,"pieces":1}' })
      peer.socket.close()
      await peer.closed
    }),
  )
  const records = await under.recorded(230)
  const count = (wanted: number): number => records.filter(({ status }) => status === wanted).length
  t.same([count(200), count(101)], [200, 20])
  t.equal(under.gateway.connections.count, 0)
  t.equal(under.gateway.liveRuns, 0)
})
