import { once } from 'node:events'
import { createRequire } from 'node:module'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { WebSocket as Client } from 'undici'
import { drain } from '../../../config/drain.ts'
import { listen } from '../../../config/listen.ts'
import { GatewayError, type RequestRecord } from '../../../core/index.ts'
import { Connections, type ConnectionProtocol } from '../../../core/kit.ts'
import { adding } from '../../kit/stage.ts'
import { gateway, listeningGateway, type GatewayUnderTest, type ListeningGateway } from '../../kit/gateway.ts'
import { TextSink } from '../../kit/text-sink.ts'
import { accepted, echo } from './echo-protocol.ts'

const certificate = (name: string): string => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url))

type Options = NonNullable<Parameters<typeof listeningGateway>[0]>

async function underTest(t: Test, protocol: ConnectionProtocol = echo(), options: Options = {}): Promise<ListeningGateway> {
  const under = await listeningGateway({ ...options, plugins: [adding(Connections, protocol), ...(options.plugins ?? [])] })
  t.teardown(under.stop)
  return under
}

/** A peer that speaks bytes. */
class Peer {
  readonly socket: Socket
  got = ''

  constructor(url: string, first: string) {
    this.socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8')
    this.socket.on('data', text => (this.got += text)).on('error', () => {})
    this.socket.write(first)
  }

  /** Resolves once this was received. */
  async hears(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.got)) await Promise.race([once(this.socket, 'data'), this.#closing()])
    return this.got
  }

  /** Resolves with all that was received once the gateway has closed the connection. */
  async ends(): Promise<string> {
    if (!this.socket.closed) await once(this.socket, 'close')
    return this.got
  }

  async #closing(): Promise<never> {
    await once(this.socket, 'close')
    throw new Error(`closed after ${this.got}`)
  }
}

/** A peer that asks for an upgrade. */
class UpgradingPeer extends Peer {
  constructor(url: string, path = '/v1/echo', key: string | undefined = undefined, more = '', to = 'echo', method = 'GET') {
    const authorization = key === undefined ? '' : `authorization: Bearer ${key}\r\n`
    super(
      url,
      `${method} ${path} HTTP/1.1\r\nhost: gateway.example.com\r\nconnection: Upgrade\r\nupgrade: ${to}\r\n${authorization}${more}\r\n`,
    )
  }
}

/** Resolves once all connections are gone. */
async function allClosed({ gateway }: GatewayUnderTest): Promise<void> {
  while (gateway.connections.count > 0) await new Promise(resolve => setImmediate(resolve))
}

function statuses(records: readonly RequestRecord[]): readonly string[] {
  return records.map(({ method, path, status }) => `${method} ${path} ${status}`).sort()
}

t.test('each message of a connection is a request with one record, and so is the upgrade', async t => {
  const under = await underTest(t)
  const peer = new UpgradingPeer(under.url, '/v1/echo/?room=a', under.apiKey)
  await peer.hears(/101 Switching Protocols\r\n[^]*\r\n\r\n/)
  t.equal(under.gateway.connections.count, 1)
  peer.socket.write('first\n')
  await peer.hears(/first\n/)
  peer.socket.write('second\nthi')
  await peer.hears(/second\n/)
  peer.socket.write('rd\nrefuse\nthrow\n')
  await peer.hears(/error 400 invalid_value\n/)
  await peer.hears(/error 500 server_error\n/)
  await peer.hears(/third\n/)
  peer.socket.write('bye\n')
  t.match(await peer.ends(), /bye\n$/)
  await allClosed(under)
  const records = await under.recorded(6)
  t.same(statuses(records), [
    'ECHO /v1/echo 200',
    'ECHO /v1/echo 200',
    'ECHO /v1/echo 200',
    'ECHO /v1/echo 400',
    'ECHO /v1/echo 500',
    'GET /v1/echo 101',
  ])
  for (const { id, keyId } of records) {
    t.match(id, /^msg_/)
    t.type(keyId, 'string')
  }
  t.equal(records.filter(({ usage }) => usage).length, 3, 'answers are charged to their message')
  t.equal(under.logs.length, 1)
  t.match(JSON.parse(under.logs[0]!), { message: 'a connection failed', plugin: /^adding-/, error: 'TypeError' })
})

t.test('bytes sent with the upgrade belong to the protocol', async t => {
  const under = await underTest(t)
  const peer = new UpgradingPeer(under.url, '/v1/echo', under.apiKey, '\r\nearly\n')
  t.match(await peer.hears(/early\n/), accepted)
  peer.socket.destroy()
})

t.test('an upgrade needs a key, unless the protocol says otherwise', async t => {
  const under = await underTest(t)
  const other = await under.gateway.issueKey({ name: 'other' })
  const wrong = `${under.apiKey.slice(0, -1)}_`
  const cases: readonly (readonly [string, string | undefined, string])[] = [
    ['no key', undefined, ''],
    ['a wrong key', wrong, ''],
    ['an admin token', 'ta_demo', ''],
    ['two keys', under.apiKey, `authorization: Bearer ${other}\r\n`],
  ]
  for (const [name, key, more] of cases) {
    const got = await new UpgradingPeer(under.url, '/v1/echo', key, more).ends()
    const [head, body] = got.split('\r\n\r\n') as [string, string]
    t.match(head, /^HTTP\/1\.1 401 Unauthorized\r\n/, name)
    t.match(head, /\r\nconnection: close/i, name)
    t.match(head, /\r\nx-request-id: msg_/, name)
    t.match(JSON.parse(body), { error: { type: 'authentication_error', code: 'invalid_api_key', param: null } }, name)
  }
  t.same(statuses(await under.recorded(4)), Array(4).fill('GET /v1/echo 401'))

  const open = await underTest(t, echo({ auth: 'none' }))
  const peer = new UpgradingPeer(open.url)
  await peer.hears(/101/)
  peer.socket.write('hi\n')
  await peer.hears(/error 401 invalid_api_key\n/)
  peer.socket.write(`Bearer ${open.apiKey} hello\n`)
  await peer.hears(/hello\n/)
  peer.socket.destroy()
  await allClosed(open)
  t.same(statuses(await open.recorded(2)), ['ECHO /v1/echo 200', 'ECHO /v1/echo 401'], 'an upgrade that anyone may ask for has no record')
})

t.test('a key that is disabled stops working on a connection that is open', async t => {
  const under = await underTest(t)
  const peer = new UpgradingPeer(under.url, '/v1/echo', under.apiKey)
  peer.socket.write('before\n')
  await peer.hears(/before\n/)
  const { keyId } = (await under.recorded(1))[0]!
  await under.gateway.keys.update(keyId!, { disabled: true })
  peer.socket.write('after\n')
  await peer.hears(/error 401 invalid_api_key\n/)
  peer.socket.destroy()
})

t.test('a protocol formats the errors of its upgrades', async t => {
  const error = ({ status, code }: GatewayError) => ({ status, headers: { 'content-type': 'text/plain' }, body: `no: ${code}` })
  const under = await underTest(t, echo({ error }))
  t.match(
    await new UpgradingPeer(under.url).ends(),
    /^HTTP\/1\.1 401 [^]*\r\ncontent-type: text\/plain\r\n[^]*\r\n\r\nno: invalid_api_key$/,
  )
  const broken = await underTest(
    t,
    echo({
      error() {
        throw new TypeError('CANARY')
      },
    }),
  )
  t.match(await new UpgradingPeer(broken.url).ends(), /^HTTP\/1\.1 401 [^]*"invalid_api_key"/)
  t.match(broken.logs.join('\n'), /an error could not be formatted/)
})

t.test('upgrades that no plugin serves are requests like any other', async t => {
  const under = await underTest(t)
  const body = JSON.stringify({ model: 'sandbox/echo', input: 'hi' })
  const post = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const head = (method: string, path: string, to: string, more = ''): Peer =>
    new UpgradingPeer(under.url, path, under.apiKey, more, to, method)
  for (const [peer, status] of [
    [head('GET', '/v1/responses', 'websocket'), 426],
    [head('GET', '/v1/responses', 'echo'), 405],
    [head('GET', '/v1/models', 'echo'), 200],
    [head('GET', '/v1/echo', 'websocket'), 404],
    [head('GET', '/v1/echoes', 'echo'), 404],
    [head('PUT', '/v1/echo', 'echo'), 404],
    [head('POST', '/v1/responses', 'h2c', post), 200],
  ] as const) {
    await peer.hears(/\r\n\r\n/)
    t.match(peer.got, new RegExp(`^HTTP/1.1 ${status} `))
    peer.socket.destroy()
  }
  for (const to of ['ECHO', 'websocket, echo', 'echo,h2c']) {
    const peer = head('GET', '/v1/echo', to)
    await peer.hears(/^HTTP\/1\.1 101 /)
    peer.socket.destroy()
  }
  for (const path of ['http://gateway.example.com/v1/echo', 'HTTP://gateway.example.com:80/v1/echo/?room=a']) {
    const peer = head('GET', path, 'echo')
    await peer.hears(/^HTTP\/1\.1 101 /)
    peer.socket.destroy()
  }
})

t.test('an upgrade gets no socket on which an earlier reply is still open', async t => {
  const under = await underTest(t)
  const body = JSON.stringify({ model: 'sandbox/echo', input: 'one two three', stream: true })
  const key = `host: gateway.example.com\r\nauthorization: Bearer ${under.apiKey}\r\n`
  const earlier = `POST /v1/responses HTTP/1.1\r\n${key}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const upgrade = `GET /v1/echo HTTP/1.1\r\n${key}connection: Upgrade\r\nupgrade: echo\r\n\r\n`

  const hasty = new Peer(under.url, earlier + upgrade)
  await hasty.hears(/"code":"not_found"/)
  t.match(hasty.got, /^HTTP\/1\.1 200 [^]*\r\n0\r\n\r\nHTTP\/1\.1 404 /, 'both replies are whole, and in order')
  t.notMatch(hasty.got, / 101 /)
  hasty.socket.destroy()

  const patient = new Peer(under.url, earlier)
  await patient.hears(/\r\n0\r\n\r\n$/)
  patient.socket.write(upgrade)
  await patient.hears(/HTTP\/1\.1 101 /)
  patient.socket.write('hello\n')
  await patient.hears(/hello\n$/)
  patient.socket.destroy()
  await allClosed(under)
})

t.test('there is room for so many connections, and for half as many of one key', async t => {
  const under = await underTest(t, echo(), { settings: { maxConnections: 4 } })
  const other = await under.gateway.issueKey({ name: 'other' })
  const third = await under.gateway.issueKey({ name: 'third' })
  const open = async (key: string): Promise<Peer> => {
    const peer = new UpgradingPeer(under.url, '/v1/echo', key)
    await peer.hears(/101/)
    return peer
  }
  const first = await open(under.apiKey)
  const second = await open(under.apiKey)
  const refused = await new UpgradingPeer(under.url, '/v1/echo', under.apiKey).ends()
  t.match(refused, /^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n[^]*server\.maxConnections/)
  const others = [await open(other), await open(other)]
  t.match(await new UpgradingPeer(under.url, '/v1/echo', third).ends(), /^HTTP\/1\.1 503 /)
  second.socket.destroy()
  while (under.gateway.connections.count > 3) await new Promise(resolve => setImmediate(resolve))
  for (const peer of [await open(third), first, ...others]) peer.socket.destroy()
})

t.test('a throw of a handler refuses the upgrade or closes the connection, and does nothing else', async t => {
  const forbidden = new GatewayError({ status: 403, type: 'permission_error', code: 'role_not_sufficient', message: 'Not you.' })
  const handlers: readonly (readonly [string, ConnectionProtocol['open'], RegExp, number])[] = [
    [
      'refuses',
      () => {
        throw forbidden
      },
      /^HTTP\/1\.1 403 [^]*"Not you\."/,
      0,
    ],
    ['rejects', () => Promise.reject(forbidden), /^HTTP\/1\.1 403 /, 0],
    [
      'throws',
      () => {
        throw new TypeError('CANARY')
      },
      /^HTTP\/1\.1 500 [^]*"server_error"/,
      1,
    ],
    [
      'throws nothing',
      () => {
        throw undefined
      },
      /^HTTP\/1\.1 500 /,
      1,
    ],
    [
      'throws after it has answered',
      ({ socket }) => {
        socket.write(accepted)
        throw new TypeError('CANARY')
      },
      /^(HTTP\/1\.1 101 [^]*)?$/,
      1,
    ],
  ]
  for (const [name, open, expected, lines] of handlers) {
    const under = await underTest(t, echo({ open }))
    const got = await new UpgradingPeer(under.url, '/v1/echo', under.apiKey).ends()
    t.match(got, expected, name)
    t.notMatch(got + under.logs.join(''), /CANARY"|CANARY$/, name)
    t.equal(under.logs.length, lines, name)
    if (lines > 0) t.match(JSON.parse(under.logs[0]!), { message: 'a connection failed', plugin: /^adding-/, status: 500 })
    await allClosed(under)
    t.equal((await under.recorded(1)).length, 1)
    t.equal((await under.request('/v1/models')).status, 200)
  }
})

t.test('a listener that throws closes its connection only', async t => {
  const under = await underTest(t)
  const bystander = new UpgradingPeer(under.url, '/v1/echo', under.apiKey)
  await bystander.hears(/101/)
  const peer = new UpgradingPeer(under.url, '/v1/echo', under.apiKey)
  await peer.hears(/101/)
  peer.socket.write('throw in the listener\n')
  await peer.ends()
  t.match(JSON.parse(under.logs[0]!), { plugin: /^adding-/, error: 'TypeError', stack: [/echo-protocol\.ts/] })
  bystander.socket.write('hello\n')
  await bystander.hears(/hello\n/)
  bystander.socket.destroy()
  await allClosed(under)
  const upgrades = (await under.recorded(3)).filter(({ method }) => method === 'GET')
  t.same(upgrades.map(({ status, errorCode }) => `${status} ${errorCode}`).sort(), ['101 null', '101 server_error'])
})

t.test('hostile peers leave nothing behind', async t => {
  const under = await underTest(t)
  const { port } = new URL(under.url)
  const head = `GET /v1/echo HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: echo\r\nauthorization: Bearer ${under.apiKey}\r\n`

  const half = connect(Number(port), '127.0.0.1')
  half.write(head)
  await once(half, 'connect')
  half.destroy()

  const reset = connect(Number(port), '127.0.0.1').on('error', () => {})
  reset.write(`${head}\r\n`, () => reset.resetAndDestroy())
  await once(reset, 'close')

  const garbage = new UpgradingPeer(under.url, '/v1/echo', under.apiKey)
  await garbage.hears(/101/)
  await new Promise(resolve => garbage.socket.write(Buffer.alloc(1_000_000, 0xff), resolve))
  garbage.socket.destroy()

  const deaf = new UpgradingPeer(under.url, '/v1/echo', under.apiKey)
  deaf.socket.pause()
  deaf.socket.write(`${'x'.repeat(10_000)}\n`.repeat(20))
  await new Promise(resolve => setImmediate(resolve))
  deaf.socket.destroy()

  const refusedAndDeaf = connect(Number(port), '127.0.0.1').on('error', () => {})
  refusedAndDeaf.pause().write(`${head.replace(under.apiKey, 'tp_demo_wrong')}\r\n`)
  await under.recorded(1)
  refusedAndDeaf.destroy()

  await allClosed(under)
  t.equal(under.gateway.liveRuns, 0)
  t.equal((await under.request('/v1/models')).status, 200)
  t.same(under.logs, [])
})

t.test('a peer that leaves while its key is looked up is not served', async t => {
  const asked = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  let served = 0
  const slow = await underTest(t, echo({ open: () => void served++ }))
  const { keys } = slow.gateway
  const find = keys.find.bind(keys)
  keys.find = id => {
    asked.resolve()
    return found.promise.then(() => find(id))
  }
  const peer = new UpgradingPeer(slow.url, '/v1/echo', slow.apiKey)
  await asked.promise
  peer.socket.resetAndDestroy()
  await allClosed(slow)
  found.resolve()
  t.match(await slow.recorded(1), [{ status: 499 }])
  t.equal(served, 0)
})

t.test('the request of a peer that leaves is cancelled', async t => {
  const begun = Promise.withResolvers<AbortSignal>()
  const open: ConnectionProtocol['open'] = connection => {
    connection.socket.write(accepted)
    connection.socket.resume()
    void connection.serve(scope => {
      begun.resolve(scope.signal)
      return new Promise(() => {})
    })
  }
  const under = await underTest(t, echo({ open }))
  const peer = new UpgradingPeer(under.url, '/v1/echo', under.apiKey)
  const signal = await begun.promise
  peer.socket.destroy()
  if (!signal.aborted) await once(signal, 'abort')
  t.same(statuses(await under.recorded(2)), ['ECHO /v1/echo 499', 'GET /v1/echo 101'])
})

t.test('200 connections at once, half of which break off', async t => {
  const under = await underTest(t)
  const peers = Array.from({ length: 200 }, (_, index) => ({ index, peer: new UpgradingPeer(under.url, '/v1/echo', under.apiKey) }))
  await Promise.all(
    peers.map(async ({ index, peer }) => {
      for (const message of ['one', 'two', 'three']) {
        peer.socket.write(`${message} ${index}\n`)
        await peer.hears(new RegExp(`${message} ${index}\n`))
      }
      if (index % 2 === 0) peer.socket.resetAndDestroy()
      else {
        peer.socket.write('bye\n')
        await peer.ends()
      }
    }),
  )
  await allClosed(under)
  const records = await under.recorded(800)
  t.equal(new Set(records.map(({ id }) => id)).size, 800)
  t.equal(records.filter(({ status }) => status === 101).length, 200)
  t.equal(records.filter(({ status }) => status === 200).length, 600)
  t.equal(under.gateway.liveRuns, 0)
  t.same(under.logs, [])
})

t.test('a drain tells the plugins, lets open messages finish, and ends the connections', async t => {
  const ask = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const told = Promise.withResolvers<void>()
  const open: ConnectionProtocol['open'] = connection => {
    connection.socket.write(accepted)
    connection.socket.resume()
    const done = connection.serve(async () => {
      ask.resolve()
      await answered.promise
    })
    connection.onStop(() => {
      told.resolve()
      void done.then(error => connection.socket.end(error ? 'failed\n' : 'finished\n'))
    })
  }
  const under = await gateway({ plugins: [adding(Connections, echo({ open }))] })
  const listener = await listen(under.gateway, { host: '127.0.0.1', port: 0 })
  const peer = new UpgradingPeer(listener.url, '/v1/echo', under.apiKey)
  await ask.promise
  const drained = drain(under.gateway, listener, 60_000)
  await told.promise
  answered.resolve()
  t.match(await peer.ends(), /finished\n$/)
  await drained
  t.same(statuses(await under.recorded(2)), ['ECHO /v1/echo 200', 'GET /v1/echo 101'])
})

t.test('a drain records requests whose body never comes', async t => {
  const under = await gateway({ plugins: [adding(Connections, echo())] })
  const listener = await listen(under.gateway, { host: '127.0.0.1', port: 0 })
  const head = `POST /v1/responses HTTP/1.1\r\nhost: gateway.example.com\r\nauthorization: Bearer ${under.apiKey}\r\n`
  const peers = Array.from(
    { length: 5 },
    () => new Peer(listener.url, `${head}content-type: application/json\r\ncontent-length: 500\r\n\r\n{`),
  )
  await Promise.all(peers.map(({ socket }) => once(socket, 'connect')))
  // The replies to later requests show that the earlier ones have arrived.
  await fetch(`${listener.url}/v1/models`, { headers: { authorization: `Bearer ${under.apiKey}`, connection: 'close' } })
  await drain(under.gateway, listener, 0)
  t.equal(under.records.filter(({ path, status }) => path === '/v1/responses' && status === 499).length, 5)
})

t.test('a drain destroys what does not leave, and a plugin that fails to leave stops nobody', async t => {
  const open: ConnectionProtocol['open'] = connection => {
    connection.socket.write(accepted)
    connection.socket.resume()
    connection.onStop(() => {
      throw new TypeError('CANARY')
    })
  }
  const deaf: ConnectionProtocol = { protocol: 'deaf', path: '/v1/deaf', open: ({ socket }) => void socket.write(accepted) }
  const under = await gateway({ plugins: [adding(Connections, echo({ open })), adding(Connections, deaf)] })
  const listener = await listen(under.gateway, { host: '127.0.0.1', port: 0 })
  const peers = [
    new UpgradingPeer(listener.url, '/v1/echo', under.apiKey),
    new UpgradingPeer(listener.url, '/v1/deaf', under.apiKey, '', 'deaf'),
  ]
  for (const peer of peers) await peer.hears(/101/)
  const late = connect(Number(new URL(listener.url).port), '127.0.0.1').setEncoding('utf8')
  await once(late, 'connect')
  const drained = drain(under.gateway, listener, 0)
  for (const peer of peers) await peer.ends()
  await drained
  late.destroy()
  t.equal(under.gateway.connections.count, 0)
  t.match(under.logs.join('\n'), /a connection failed/)
  t.same(statuses(await under.recorded(2)), ['GET /v1/deaf 101', 'GET /v1/echo 101'])
})

t.test('an upgrade over TLS is served, refused and ended as well', async t => {
  const under = await gateway({ plugins: [adding(Connections, echo())] })
  const tls = { cert: certificate('cert.pem'), key: certificate('key.pem'), passphrase: 'demo-passphrase' }
  const listener = await listen(under.gateway, { host: '127.0.0.1', port: 0, tls })
  const heard = async (key: string, enough: RegExp): Promise<string> => {
    const socket = connectTls({ host: '127.0.0.1', port: listener.port, rejectUnauthorized: false }).setEncoding('utf8')
    socket.write(`GET /v1/echo HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: echo\r\nauthorization: Bearer ${key}\r\n\r\nhi\n`)
    let got = ''
    for await (const text of socket.iterator({ destroyOnReturn: false })) {
      got += text
      if (enough.test(got)) socket.end()
    }
    return got
  }
  t.match(await heard(under.apiKey, /hi\n$/), /^HTTP\/1\.1 101 /)
  t.match(await heard('tp_demo_wrong', /never/), /^HTTP\/1\.1 401 [^]*"invalid_api_key"/)
  await allClosed(under)
  await drain(under.gateway, listener, 0)
  t.same(statuses(await under.recorded(3)), ['ECHO /v1/echo 200', 'GET /v1/echo 101', 'GET /v1/echo 401'])
})

t.test('a connection that comes while the gateway shuts down is told to leave, and stopping it closes all', async t => {
  const under = await underTest(t)
  const peer = new UpgradingPeer(under.url, '/v1/echo', under.apiKey)
  await peer.hears(/101/)
  under.gateway.connections.stop()
  t.match(await peer.hears(/stopping\n/), /stopping\n$/)
  t.match(await new UpgradingPeer(under.url, '/v1/echo', under.apiKey).hears(/stopping\n/), /^HTTP\/1\.1 101 [^]*stopping\n$/)
  await under.gateway.connections.destroy()
  t.match(await new UpgradingPeer(under.url, '/v1/echo', under.apiKey).ends(), /^HTTP\/1\.1 503 [^]*shutting down/)
})

/** The members of the package `ws` that the test uses. Other development dependencies install it. */
interface WebSocketServer {
  handleUpgrade(...upgrade: readonly unknown[]): void
}
interface ServerSocket {
  on(event: string, listener: (data: Buffer) => void): void
  send(text: string): void
  close(code: number, reason: string): void
}

const ws = ((): { readonly WebSocketServer: new (options: object) => WebSocketServer } | undefined => {
  try {
    return createRequire(import.meta.url)('ws')
  } catch {
    return undefined
  }
})()

t.test('WebSocket: a plugin serves it with a library, and a real client speaks to it', { skip: !ws && 'needs the package ws' }, async t => {
  const server = new ws!.WebSocketServer({ noServer: true, maxPayload: 10_000 })
  const webSocket: ConnectionProtocol = {
    protocol: 'websocket',
    path: '/v1/responses',
    open(connection, gateway) {
      const { request, socket, head } = connection
      server.handleUpgrade(request, socket, head, (peer: ServerSocket) => {
        peer.on('error', () => {})
        connection.onStop(() => peer.close(1001, 'going away'))
        peer.on('message', async data => {
          const text = String(data)
          const sink = new TextSink()
          const error = await connection.serve(async scope => {
            const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }] as const
            const outcome = await gateway.generate(scope, { model: 'sandbox/echo', input }, sink).finished
            return outcome instanceof GatewayError ? outcome : undefined
          })
          peer.send(JSON.stringify(error ? { error: error.code } : { text: sink.text }))
        })
      })
    },
  }
  const under = await underTest(t, webSocket)
  const client = async (key: string): Promise<Client> => {
    const made = new Client(`${under.url.replace('http', 'ws')}/v1/responses`, { headers: { authorization: `Bearer ${key}` } })
    await Promise.race([
      once(made, 'open'),
      once(made, 'error').then(([event]) => Promise.reject((event as { readonly error: Error }).error)),
    ])
    return made
  }
  const said = async (peer: Client, text: string): Promise<unknown> => {
    peer.send(text)
    const [event] = await once(peer, 'message')
    return JSON.parse(String((event as MessageEvent).data))
  }
  const peers = await Promise.all(Array.from({ length: 200 }, () => client(under.apiKey)))
  t.equal(under.gateway.connections.count, 200)
  const replies = await Promise.all(peers.map((peer, index) => said(peer, `hello ${index}`)))
  t.same(
    replies,
    peers.map((_, index) => ({ text: `hello ${index}` })),
  )
  t.equal((await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'over HTTP' } })).status, 200)

  const [tooLong, unmasked] = peers as [Client, Client]
  const closing = once(tooLong, 'close')
  tooLong.send('x'.repeat(20_000))
  t.match(await closing, [{ code: 1009 }])
  t.same(await said(unmasked, 'still here'), { text: 'still here' })

  const closed = peers.slice(1).map(peer => once(peer, 'close'))
  under.gateway.connections.stop()
  for (const [event] of await Promise.all(closed)) t.match(event, { code: 1001, reason: 'going away' })
  await allClosed(under)
  const records = await under.recorded(402)
  t.equal(records.filter(({ status }) => status === 101).length, 200)
  t.equal(records.filter(({ method, status }) => method === 'WEBSOCKET' && status === 200).length, 201)
})
