import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { drain } from '../../../../config/drain.ts'
import { listen } from '../../../../config/listen.ts'
import websocket from '../../../../plugins/endpoints/responses-websocket/index.ts'
import { gateway, saying, scripted, type ListeningGateway } from '../../../kit/gateway.ts'
import { held, Peer, textOf, underTest } from './stage.ts'

const endless = { model: 'sandbox/slow', input: '{"firstMs":0,"betweenMs":60000,"pieces":10}' }

/** The status and the body of an upgrade that is refused. */
async function refused({ url }: ListeningGateway, headers: Readonly<Record<string, string>>, path = '/v1/responses') {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8')
  const lines = Object.entries({ host: 'gateway.example.com', connection: 'Upgrade', upgrade: 'websocket', ...headers })
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  let got = ''
  socket.on('data', text => (got += text)).on('error', () => {})
  await once(socket, 'close')
  const [head = '', body = ''] = got.split('\r\n\r\n')
  return { head, status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]), error: (JSON.parse(body) as { error: Record<string, unknown> }).error }
}

const upgrade = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }

t.test('an upgrade that is not in order is refused as any request', async t => {
  const under = await underTest(t)
  const authorization = `Bearer ${under.apiKey}`
  t.match(await refused(under, upgrade), { status: 401, error: { code: 'invalid_api_key' } })
  t.match(await refused(under, { ...upgrade, authorization, 'sec-websocket-version': '7' }), {
    status: 426,
    head: /sec-websocket-version: 13, 8/,
    error: { code: 'invalid_upgrade', message: /got "7"/ },
  })
  t.match(await refused(under, { ...upgrade, authorization, 'sec-websocket-key': 'short' }), {
    status: 400,
    error: { code: 'invalid_upgrade' },
  })
  t.match(await refused(under, { ...upgrade, authorization, 'sec-websocket-protocol': 'a,,b' }), {
    status: 400,
    error: { code: 'invalid_upgrade' },
  })
  t.same((await under.recorded(4)).map(({ status }) => status).sort(), [400, 400, 401, 426])
})

t.test('without the plugin, the upgrade is a 426 that says what to do', async t => {
  const under = await gateway()
  t.teardown(under.stop)
  const reply = await under.request('/v1/responses', { headers: { upgrade: 'websocket', connection: 'Upgrade' } })
  t.equal(reply.status, 426)
  t.match(await reply.json(), { error: { code: 'websocket_not_supported', message: /Use HTTP with POST/ } })
})

t.test('a key has so many connections', async t => {
  const under = await underTest(t, { connectionsPerKey: 2 })
  const peers = [await Peer.open(under), await Peer.open(under)]
  const answer = await refused(under, { ...upgrade, authorization: `Bearer ${under.apiKey}` })
  t.match(answer, { status: 429, head: /retry-after: 1/, error: { code: 'rate_limit_exceeded', message: /2 connections/ } })
  const other = await Peer.open(under, await under.gateway.issueKey({ name: 'other' }))
  t.equal(textOf(await other.answer({ input: 'mine' })), 'mine', 'other keys have their own')
  peers[0]!.close()
  await peers[0]!.closed
  while (under.gateway.connections.count > 2) await new Promise(resolve => setImmediate(resolve))
  await Peer.open(under)
})

t.test('a connection whose key is disabled is closed, idle or not', async t => {
  const under = await underTest(t)
  const [idle, busy] = [await Peer.open(under), await Peer.open(under)]
  const other = await Peer.open(under, await under.gateway.issueKey({ name: 'other' }))
  busy.create(endless)
  await busy.next('response.output_text.delta')
  const { keyId } = (await idle.answer({ input: 'a' }).then(() => under.recorded(1)))[0]!
  await under.gateway.keys.update(keyId!, { disabled: true })
  for (const peer of [idle, busy]) t.match(await peer.closed, { code: 1008, reason: /disabled/ })
  const ended = (await under.recorded(4)).find(({ requestedModel }) => requestedModel === 'sandbox/slow')
  t.match(ended, { status: 499 })
  t.equal(textOf(await other.answer({ input: 'still here' })), 'still here')
})

t.test('a message with a key that was disabled is refused', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under)
  await peer.answer({ input: 'a' })
  const { keyId } = (await under.recorded(1))[0]!
  await under.gateway.keys.update(keyId!, { disabled: true })
  peer.create({ input: 'b' })
  t.match(await peer.closed, { code: 1008 })
  t.match(under.records.find(({ status }) => status === 401) ?? (await under.recorded(2))[1], { status: 401 })
})

t.test('an idle connection is closed, one with a running response is not', async t => {
  const model = held()
  const under = await underTest(t, { idleTimeoutMs: 1_000 }, { plugins: [model.plugin] })
  const busy = await Peer.open(under)
  busy.create({ model: 'held/any', input: 'a' })
  await model.hasBegun(1)
  // Both came later, and were idle for as long as the other one was busy.
  for (let times = 0; times < 2; times++) t.match(await (await Peer.open(under)).closed, { code: 1001, reason: /connect again/ })
  model.go('a')
  t.match(await busy.last(), { status: 'completed' })
  t.match(await busy.closed, { code: 1001 })
})

t.test('a connection has an end: what runs is finished, and nothing new begins', async t => {
  const model = held()
  const under = await underTest(t, { maxLifeMs: 1_000 }, { plugins: [model.plugin] })
  const [idle, busy] = [await Peer.open(under), await Peer.open(under)]
  busy.create({ model: 'held/any', input: 'a', stream_id: 'a' })
  t.match(await idle.closed, { code: 1001, reason: /lives 1 seconds.*Connect again/ })
  let last
  do {
    busy.create({ input: 'more', stream_id: 'b' })
    last = await busy.next('response.completed', 'error')
  } while (last['type'] !== 'error')
  t.match(last, {
    status: 400,
    stream_id: 'b',
    error: { code: 'websocket_connection_limit_reached', message: /Connect again/ },
  })
  await model.hasBegun(1)
  model.go('a')
  t.match(await busy.last(), { status: 'completed' })
  t.match(await busy.closed, { code: 1001 })
})

async function served(t: Test) {
  const under = await gateway({ plugins: [websocket({})] })
  const listener = await listen(under.gateway, { host: '127.0.0.1', port: 0 })
  t.teardown(() => listener.server.close())
  return { under, listener, to: { url: listener.url, apiKey: under.apiKey } }
}

t.test('a shutdown finishes what runs, and tells clients to connect again', async t => {
  const { under, listener, to } = await served(t)
  const [idle, busy] = [await Peer.open(to), await Peer.open(to)]
  busy.create({ model: 'sandbox/slow', input: '{"firstMs":0,"betweenMs":300,"pieces":3}' })
  busy.create({ input: 'waits' })
  await busy.next('response.output_text.delta')
  const drained = drain(under.gateway, listener, 30_000)
  t.match(await idle.closed, { code: 1001, reason: /shutting down/ })
  t.match(await busy.last(), { status: 'completed' })
  t.match(await busy.next('error'), { status: 400, error: { code: 'websocket_connection_limit_reached', message: /shutting down/ } })
  t.match(await busy.closed, { code: 1001 })
  await drained
})

t.test('a response that outlasts the drain fails, and the connection closes', async t => {
  const { under, listener, to } = await served(t)
  const busy = await Peer.open(to)
  busy.create(endless)
  await busy.next('response.output_text.delta')
  const drained = drain(under.gateway, listener, 100)
  t.match(await busy.last(), { status: 'failed', error: { message: /shutting down/ } })
  t.match(await busy.closed, { code: 1001 })
  await drained
})

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

/** A frame of a client, masked with zeros. */
function frame(first: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([first, ...length, 0, 0, 0, 0]), payload])
}

/** A connection of bytes. Its first are the 101. */
function upgraded({ url, apiKey }: ListeningGateway): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const lines = Object.entries({ host: 'a', connection: 'Upgrade', upgrade: 'websocket', ...upgrade, authorization: `Bearer ${apiKey}` })
  socket.write(`GET /v1/responses HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  return socket
}

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
