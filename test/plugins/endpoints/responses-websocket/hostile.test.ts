import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { saying, scripted, type ListeningGateway } from '../../../kit/gateway.ts'
import { frame, Peer, textOf, underTest, upgraded } from './stage.ts'

// Peers that send anything, and leave answers unread.

const endless = { model: 'sandbox/slow', input: '{"firstMs":0,"betweenMs":60000,"pieces":10}' }

t.test('a message that is too large closes the connection, and says so', async t => {
  const under = await underTest(t, {}, { settings: { maxBodyBytes: 10_000 } })
  const peer = await Peer.open(under)
  peer.create({ input: 'x'.repeat(20_000) })
  t.match(await peer.next('error'), { status: 413, error: { code: 'request_too_large', message: /10000 bytes/ } })
  t.match(await peer.closed, { code: 1009, reason: /too large/ })
})

t.test('messages count with the bodies of all requests', async t => {
  const under = await underTest(t, {}, { settings: { maxLiveBodyBytes: 300_000 } })
  const [one, other] = [await Peer.open(under), await Peer.open(under)]
  one.create({ ...endless, metadata: {}, instructions: 'x'.repeat(100_000) })
  await one.next('response.output_text.delta')
  t.match(await other.fails({ input: 'y'.repeat(100_000) }), { status: 503, error: { message: /server\.maxLiveBodyBytes/ } })
  t.match(await other.closed, { code: 1013, reason: /try again/ })
  one.send({ type: 'response.cancel' })
  await one.last()
  t.match(await one.answer({ input: 'y'.repeat(100_000) }), { error: null }, 'there is room again')
})

/** The bytes that follow, until the gateway closes the connection. */
async function bytesAfter(under: ListeningGateway, ...frames: readonly Buffer[]): Promise<Buffer> {
  const socket = upgraded(under)
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk)).on('error', () => {})
  for (const each of frames) socket.write(each)
  await once(socket, 'close')
  const all = Buffer.concat(chunks)
  return all.subarray(all.indexOf('\r\n\r\n') + 4)
}

t.test('bad frames close the connection with a reason, and nothing else happens', async t => {
  const under = await underTest(t)
  for (const [frames, code, reason] of [
    [[Buffer.from([0x81, 0x02, 0x68, 0x69])], 1002, 'the frame breaks the WebSocket protocol'],
    [[frame(0xf1, Buffer.from('hi'))], 1002, 'the frame breaks the WebSocket protocol'],
    [[frame(0x83, Buffer.from('hi'))], 1002, 'the frame breaks the WebSocket protocol'],
    [[frame(0x80, Buffer.from('hi'))], 1002, 'the frame breaks the WebSocket protocol'],
    [[frame(0x81, Buffer.from([0xc3, 0x28]))], 1007, 'the text is not UTF-8'],
  ] as const) {
    const got = await bytesAfter(under, ...frames)
    t.equal(got[0], 0x88, 'a close frame')
    t.equal(got.readUInt16BE(2), code)
    t.equal(got.subarray(4, 2 + got[1]!).toString(), reason)
  }
  t.same(under.logs, [])
  const peer = await Peer.open(under)
  t.equal(textOf(await peer.answer({ input: 'still here' })), 'still here')
})

t.test('a message in fragments, and a close in the middle of one', async t => {
  const under = await underTest(t)
  const request = JSON.stringify({ type: 'response.create', model: 'sandbox/echo', input: 'in pieces', store: false })
  const parts = [
    frame(0x01, Buffer.from(request.slice(0, 20))),
    frame(0x89, Buffer.from('ping')),
    frame(0x80, Buffer.from(request.slice(20))),
  ]
  const socket = upgraded(under)
  let got = ''
  socket.on('data', chunk => {
    got += String(chunk)
    if (got.includes('"type":"response.completed"')) socket.end()
  })
  for (const each of parts) socket.write(each)
  await once(socket, 'close')
  t.match(got, /in pieces/)
  await bytesAfter(under, frame(0x01, Buffer.from('{"type"')), frame(0x88, Buffer.from([0x03, 0xe8])))
  t.equal((await under.recorded(1)).filter(({ method }) => method === 'WEBSOCKET').length, 1)
})

t.test('a peer that does not read holds the vendor back, and gets everything in the end', async t => {
  const total = 20_000
  let said = 0
  const talker = scripted('talker', async function* () {
    for (; said < total; said++) yield { type: 'text', text: 'w'.repeat(1_000) }
    yield { type: 'finish', reason: 'stop' }
  })
  const under = await underTest(t, {}, { plugins: [talker] })
  const raw = upgraded(under)
  raw.write(frame(0x81, Buffer.from('{"type":"response.create","model":"talker/any","input":"a","store":false}')))
  await once(raw, 'data')
  raw.pause()
  for (let last = -1; last !== said; await delay(200)) last = said
  t.ok(said < total, `${said} of ${total}`)
  let deltas = 0
  let tail = ''
  raw.on('data', chunk => {
    const text = tail + String(chunk)
    deltas += text.split('"response.output_text.delta"').length - 1
    tail = text.slice(-27)
    if (text.includes('"type":"response.completed"')) raw.destroy()
  })
  raw.resume()
  await once(raw, 'close')
  t.ok(deltas > total - 1_000, `${deltas} deltas after the pause`)
})

t.test('large answers come in pieces, whole on each lane', async t => {
  const long = 'An answer of ünusual length. '.repeat(20_000)
  const under = await underTest(
    t,
    {},
    {
      plugins: [
        saying('big', [
          { type: 'text', text: long },
          { type: 'finish', reason: 'stop' },
        ]),
      ],
    },
  )
  const peer = await Peer.open(under)
  for (const lane of ['a', 'b', 'c']) peer.create({ model: 'big/any', input: 'a', stream_id: lane })
  for (let index = 0; index < 3; index++) t.ok(textOf(await peer.last()) === long)
})

t.test('a peer that sends pings and bad messages, and reads nothing, is not read either', async t => {
  for (const flood of [frame(0x89, Buffer.alloc(125)), frame(0x81, Buffer.from('{"type":'))]) {
    const under = await underTest(t)
    const raw = upgraded(under)
    await once(raw, 'data')
    raw.pause()
    const many = Buffer.concat(Array.from({ length: 1_000 }, () => flood))
    let sent = 0
    const limit = 64 * 1024 * 1024
    // It can send no more when the buffers of both sides are full.
    while (sent < limit && raw.write(many)) sent += many.length
    while (sent < limit && (await Promise.race([once(raw, 'drain').then(() => true), delay(1_000, false)]))) {
      raw.write(many)
      sent += many.length
    }
    t.ok(sent < limit, `${sent} bytes`)
    raw.destroy()
    const other = await Peer.open(under)
    t.equal(textOf(await other.answer({ input: 'still here' })), 'still here')
  }
})
