import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { randomBytes } from 'node:crypto'
import pTimeout from 'p-timeout'
import type { ConnectionProtocol } from '../../contracts/connection.ts'
import { Connections } from '../../framework/extension-points.ts'
import { onStage, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { addedTo, stageOf } from './on-each-plugin.ts'

/** For `connectionSuite`. */
export interface ConnectionSuiteOptions extends CallSuiteOptions {
  /** Headers of the upgrade that the protocol needs. Those of WebSocket are there. */
  readonly headers?: Readonly<Record<string, string>>
  /** How quickly it must let a connection go: after its peer has left, and at a shutdown. Default: 2000. */
  readonly stopMs?: number
}

/** A connection as its peer has it. */
interface Peer {
  readonly socket: Socket
  readonly status: number
  readonly closed: Promise<unknown>
}

type Test = (under: ConnectionUnderTest) => Promise<void>

/** Tests for every protocol that keeps its connection, over sockets of the loopback interface. */
export function connectionSuite(t: SuiteContext, options: ConnectionSuiteOptions): void {
  const on = (name: string, run: Test): unknown =>
    t.test(name, async () => {
      await using around = await stageOf(options)
      const protocols = addedTo(around, options, Connections)
      for (const protocol of protocols)
        await onStage(options, async stage => {
          await using under = await ConnectionUnderTest.open(stage, protocol, options)
          await run(under)
        })
    })
  on('refuses an upgrade without a key', refuses)
  on('accepts an upgrade, and lets go of a peer that leaves', letsGo)
  on('survives whatever a peer sends', survives)
  on('keeps many connections at once apart', keepsApart)
  on('leaves when the gateway stops', leaves)
}

class ConnectionUnderTest {
  readonly stage: CallStage
  readonly protocol: ConnectionProtocol
  readonly stopMs: number
  readonly #server: Server
  readonly #headers: Readonly<Record<string, string>>
  readonly #peers: Socket[] = []

  static async open(stage: CallStage, protocol: ConnectionProtocol, options: ConnectionSuiteOptions): Promise<ConnectionUnderTest> {
    const { gateway } = stage.gateway
    const server = createServer(gateway.http.listener)
    gateway.connections.serveOn(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new ConnectionUnderTest(stage, protocol, server, options)
  }

  private constructor(stage: CallStage, protocol: ConnectionProtocol, server: Server, { headers, stopMs = 2_000 }: ConnectionSuiteOptions) {
    this.stage = stage
    this.protocol = protocol
    this.stopMs = stopMs
    this.#server = server
    const own = { 'sec-websocket-version': '13', 'sec-websocket-key': Buffer.from('a key of 16 byte').toString('base64') }
    this.#headers = { ...(protocol.protocol === 'websocket' && own), ...headers }
  }

  async join(apiKey: string | undefined = this.stage.gateway.apiKey): Promise<Peer> {
    const socket = connect((this.#server.address() as AddressInfo).port, '127.0.0.1')
    this.#peers.push(socket)
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    const { protocol, path } = this.protocol
    const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
    const headers = { host: '127.0.0.1', connection: 'Upgrade', upgrade: protocol, ...authorization, ...this.#headers }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    let head = ''
    const heard = (async () => {
      for (;;) {
        const [chunk] = (await once(socket, 'data')) as [Buffer]
        head += chunk.toString('latin1')
        if (head.includes('\r\n\r\n')) return
      }
    })()
    const message = `no answer to the upgrade of ${path} within ${this.stopMs} ms`
    await pTimeout(Promise.race([heard, closed]), { milliseconds: this.stopMs, message })
    socket.resume()
    return { socket, closed, status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0) }
  }

  get count(): number {
    return this.stage.gateway.gateway.connections.count
  }

  /** Waits until so many connections are left. */
  async hasLeft(count: number): Promise<void> {
    const deadline = performance.now() + this.stopMs
    while (this.count > count) {
      assert.ok(performance.now() < deadline, `${this.count} connections are open ${this.stopMs} ms after their peers left`)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  async closes({ closed }: Peer, when: string): Promise<void> {
    await pTimeout(closed, { milliseconds: this.stopMs, message: `the connection is open ${this.stopMs} ms after ${when}` })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#peers) socket.destroy()
    await this.stage.gateway.gateway.connections.destroy()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const refuses: Test = async under => {
  if (under.protocol.auth === 'none') return
  for (const key of ['', 'tp_no_key']) {
    const peer = await under.join(key)
    assert.equal(peer.status, 401, 'an upgrade without a valid key')
    peer.socket.end()
    await under.closes(peer, 'a refusal')
  }
}

const letsGo: Test = async under => {
  for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
    const peer = await under.join()
    assert.equal(peer.status, 101, 'an upgrade with a valid key')
    assert.equal(under.count, 1)
    peer.socket[leave]()
    await under.hasLeft(0)
  }
  await pTimeout(under.stage.recorded(3), { milliseconds: under.stopMs, message: 'three upgrades must leave three records' })
}

const survives: Test = async under => {
  const stray: readonly (string | Uint8Array)[] = [
    '',
    'GET / HTTP/1.1\r\n\r\n',
    '\u0000',
    '{"type":"response.create"',
    new Uint8Array(64).fill(0xff),
    Buffer.from('819900000000', 'hex'),
    Buffer.from('81ff7fffffffffffffff00000000', 'hex'),
    randomBytes(100_000),
  ]
  for (const bytes of stray) {
    const peer = await under.join()
    peer.socket.end(bytes)
    await under.hasLeft(0)
  }
  assert.equal((await under.stage.ask('hello')).status, 200, 'the gateway must go on')
}

const keepsApart: Test = async under => {
  const peers = await Promise.all(Array.from({ length: 10 }, () => under.join()))
  for (const { status } of peers) assert.equal(status, 101)
  assert.equal(under.count, peers.length)
  peers[0]!.socket.destroy()
  await under.hasLeft(peers.length - 1)
  for (const { socket } of peers.slice(1)) assert.equal(socket.destroyed, false, 'a peer that leaves must not take others with it')
}

const leaves: Test = async under => {
  const peer = await under.join()
  // A protocol may tell its peer first, and wait for an answer.
  const told = once(peer.socket, 'data')
  under.stage.gateway.gateway.connections.stop()
  const message = `the peer hears nothing for ${under.stopMs} ms after the gateway began to stop: use \`onStop\``
  await pTimeout(Promise.race([told, peer.closed]), { milliseconds: under.stopMs, message })
}
