import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, Server as NetServer } from 'node:net'
import type { Gateway } from '../../core/gateway.ts'
import { Connections } from '../connections.ts'
import { passOn, serverOf } from '../gateway-server.ts'
import { publicFailure } from '../listen-failure.ts'
import { limitBuffers, placeOf, type Listener } from '../listen.ts'
import type { ServerOptions } from '../schema.ts'
import type { Place, SocketName } from './messages.ts'
import type { BoundSocket } from './sockets.ts'

/** Serves the connections of sockets that the parent has opened. */
export class WorkerListener implements Listener {
  readonly server: Server
  readonly connections: Connections
  readonly host: string
  readonly port: number
  readonly url: string
  readonly everywhere: boolean
  readonly #isHttps: boolean
  readonly #copies: Map<SocketName, BoundSocket>
  readonly #accepting = new Map<number, NetServer>()
  /** Those that take no more connections, and still have some. */
  readonly #closing = new Set<NetServer>()

  /** `copies`: the sockets that this process has copies of. Takes those that it accepts from. */
  constructor(
    gateway: Gateway,
    { host, port }: Pick<Place, 'host' | 'port'>,
    tls: ServerOptions['tls'],
    copies: Map<SocketName, BoundSocket>,
  ) {
    limitBuffers()
    this.#isHttps = tls !== undefined
    this.server = serverOf(gateway.http.listener, tls)
    gateway.connections.serveOn(this.server)
    this.connections = new Connections(this.server)
    const place = placeOf(host, port, this.#isHttps)
    this.host = place.host
    this.port = place.port
    this.url = place.url
    this.everywhere = place.everywhere
    this.#copies = copies
  }

  get acceptors(): readonly NetServer[] {
    return [...this.#accepting.values(), ...this.#closing]
  }

  /** Takes no more connections, because another process does. */
  handOver(): void {
    this.#close([])
  }

  /** Accepts from exactly these sockets. The others stay open in the parent, with the connections that wait there. */
  async accept(names: readonly number[]): Promise<void> {
    const added = names.filter(name => !this.#accepting.has(name))
    await Promise.all(added.map(name => this.#open(name)))
    this.#close(names)
  }

  /** Nobody who waits at a socket is lost: the parent has it, too. */
  #close(except: readonly number[]): void {
    for (const [name, acceptor] of this.#accepting) {
      if (except.includes(name)) continue
      this.#accepting.delete(name)
      this.#closing.add(acceptor)
      NetServer.prototype.close.call(acceptor, () => this.#closing.delete(acceptor))
    }
  }

  async #open(name: number): Promise<void> {
    const copy = this.#copies.get(name)
    if (!copy) return
    this.#copies.delete(name)
    // The same options as `http` and `https` use.
    const acceptor = createServer({ allowHalfOpen: !this.#isHttps, noDelay: true })
    passOn(acceptor, this.server)
    this.#accepting.set(name, acceptor)
    try {
      await once(acceptor.listen(copy), 'listening')
    } catch (error) {
      throw publicFailure(this.host, this.port, error)
    }
    acceptor.on('error', error => this.server.emit('error', error))
  }
}
