import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { drain } from '../../../../config/drain.ts'
import { listen } from '../../../../config/listen.ts'
import websocket from '../../../../plugins/endpoints/responses-websocket/index.ts'
import { gateway, type ListeningGateway } from '../../../kit/gateway.ts'
import { held, Peer, textOf, underTest, upgrade } from './stage.ts'

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

t.test('a client that comes during a shutdown is told to connect again', async t => {
  const { under, listener, to } = await served(t)
  under.gateway.connections.stop()
  const late = await Peer.open(to)
  t.match(await late.closed, { code: 1001, reason: /shutting down/ })
  await drain(under.gateway, listener, 1_000)
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
