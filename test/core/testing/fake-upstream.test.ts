import t, { type Test } from 'tap'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import { cut, fakeUpstream, Gate, reset, sseFrame, stall, turn, type Script } from '../../../core/testing/index.ts'

const http = new UndiciClient()
t.teardown(() => http.close())

async function setUp(t: Test, script: Script) {
  const upstream = await fakeUpstream(script)
  t.teardown(() => upstream.close())
  const abort = new AbortController()
  const send = () =>
    http.send(
      { method: 'POST', url: `${upstream.url}/v1/chat?x=1`, headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
      { signal: abort.signal },
    )
  return { upstream, abort, send }
}

async function read(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

t.test('answers in the order of the script and records what came', async t => {
  const { upstream, send } = await setUp(t, [
    { status: 429, headers: { 'retry-after': '2' }, body: 'slow down' },
    {
      headers: { 'content-type': 'text/event-stream' },
      body: [sseFrame({ n: 1 }), turn, sseFrame('two', 'x'), new Uint8Array([0xff, 0xfe])],
    },
  ])
  const first = await send()
  t.equal(first.status, 429)
  t.equal(first.headers['retry-after'], '2')
  t.equal((await read(first.body)).toString(), 'slow down')
  const second = await read((await send()).body)
  t.same(second, Buffer.concat([Buffer.from('data: {"n":1}\n\nevent: x\ndata: two\n\n'), Buffer.from([0xff, 0xfe])]))
  t.match(upstream.requests, [{ method: 'POST', url: '/v1/chat?x=1', body: { a: 1 }, headers: { 'content-type': 'application/json' } }, {}])
  t.equal(await upstream.requests[1]!.closed, 'complete')
  const third = await send()
  t.equal(third.status, 500)
  t.match((await read(third.body)).toString(), 'has no reply for request 3')
})

t.test('a gate holds the reply until the test opens it', async t => {
  const [head, body] = [new Gate(), new Gate()]
  const { send } = await setUp(t, [{ before: [head], body: ['a', body, 'b'] }])
  const sent = send()
  await head.reached
  head.open()
  const pieces = (await sent).body[Symbol.asyncIterator]()
  t.equal(Buffer.from((await pieces.next()).value!).toString(), 'a')
  await body.reached
  body.open()
  t.equal(Buffer.from((await pieces.next()).value!).toString(), 'b')
  t.ok((await pieces.next()).done)
})

t.test('cuts and resets in mid-body, and before the head', async t => {
  const { send, upstream } = await setUp(t, [{ body: ['data: hal', cut] }, { body: ['data: hal', turn, reset] }, { before: [reset] }])
  await t.rejects(read((await send()).body))
  await t.rejects(read((await send()).body))
  await t.rejects(send(), { name: 'ProviderFailure', message: /connection to the provider failed/ })
  t.equal(await upstream.requests[0]!.closed, 'early')
})

t.test('a stalled reply notices that the client leaves', async t => {
  const { upstream, abort, send } = await setUp(t, () => ({ body: ['a', stall] }))
  const { body } = await send()
  const pieces = body[Symbol.asyncIterator]()
  await pieces.next()
  const next = pieces.next()
  abort.abort()
  await t.rejects(next)
  t.equal(await upstream.requests[0]!.closed, 'early')
})
