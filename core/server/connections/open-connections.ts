import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ConnectionProtocol, HeldMessage } from '../../contracts/connection.ts'
import type { Reply } from '../../contracts/route.ts'
import { Coordinated } from '../../coordination/coordinated.ts'
import { Together } from '../../coordination/together.ts'
import { Clock } from '../../foundation/clock.ts'
import { AssemblyError, asGatewayError, GatewayError } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'
import { describePluginError, Logger } from '../../foundation/logger.ts'
import { wire, type Dependencies } from '../../framework/container.ts'
import { Connections } from '../../framework/extension-points.ts'
import { Settings } from '../../framework/settings.ts'
import { isPending, type Maybe } from '../../runtime/pending.ts'
import type { HeaderReader } from '../channel.ts'
import { errorReply } from '../error-reply.ts'
import { PublicApi, surfaceOf } from '../public-api.ts'
import { replyFault } from '../reply-fault.ts'
import { mayShow, type LiveScope } from '../scope.ts'
import { LiveBodies } from '../live-bodies.ts'
import { ConnectionRoom } from './connection-room.ts'
import { guardSocket } from './guarded-socket.ts'
import { KeyWatch } from './key-watch.ts'
import { OpenConnection, type ConnectionHost } from './open-connection.ts'

const dependencies = {
  api: PublicApi,
  protocols: Connections,
  bodies: LiveBodies,
  settings: Settings,
  log: Logger,
  clock: Clock,
  coordinated: Coordinated.token,
}

/** Node.js 24.9 and later: whether an upgrade is one, or a request like any other. */
interface UpgradingServer extends Server {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean
}

/** The connections that plugins keep: admits their upgrades, counts them, and closes them in the end. */
export class OpenConnections implements ConnectionHost {
  readonly #parts: Dependencies<typeof dependencies>
  readonly #room: ConnectionRoom
  readonly #open = new Set<OpenConnection>()
  readonly #keys: KeyWatch
  #together: Together | undefined
  #isStopping = false
  #isOver = false

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    this.#parts = parts
    this.#room = new ConnectionRoom(parts.settings.maxConnections, () => this.#shared())
    this.#keys = new KeyWatch(this.#open, headers => parts.api.refusal(headers))
  }

  get count(): number {
    return this.#open.size
  }

  /**
   * Lets a server of `http.listener` take the upgrades that plugins serve. All others are requests like any other. Does nothing if no
   * plugin adds a protocol.
   */
  serveOn(server: Server): void {
    if (this.#parts.protocols.values().length === 0) return
    const upgrading = server as UpgradingServer
    if (!upgrading.shouldUpgradeCallback)
      throw new AssemblyError(`A plugin keeps connections, which needs Node.js 24.9 or later. This is ${process.version}.`)
    // It cannot be passed as an option, because listhen makes the server.
    upgrading.shouldUpgradeCallback = request => !hasOpenReply(request) && this.#asked(request) !== undefined
    server.on('upgrade', (request, socket, head) => void this.#accept(request, socket, head))
  }

  /**
   * The gateway begins to shut down, and plugins are told. Upgrades that were already on their way are accepted and told at once: their
   * clients then connect again, while a refused upgrade would be a failure.
   */
  stop(): void {
    this.#isStopping = true
    for (const connection of this.#open) connection.stop()
  }

  /** Ends all connections at once. Resolves when their records are there. */
  async destroy(): Promise<void> {
    this.#isOver = true
    const closed = Array.from(this.#open, ({ socket }) => once(socket.destroy(), 'close'))
    await Promise.all(closed)
  }

  begin(protocol: ConnectionProtocol, method: string): LiveScope {
    const { path, idPrefix } = protocol
    return this.#parts.api.begin({ idPrefix, surface: surfaceOf(protocol, this.#pluginOf(protocol)!), method, path })
  }

  admit(scope: LiveScope, headers: HeaderReader): Maybe<void> {
    return this.#parts.api.admitted(scope, headers)
  }

  failed(scope: LiveScope, protocol: ConnectionProtocol, thrown: unknown): GatewayError {
    const { api, log } = this.#parts
    const error = asGatewayError(thrown)
    if (error.status >= 500) {
      const fields = api.failureFields(thrown, undefined, scope, this.#pluginOf(protocol))
      log.error('a connection failed', { request: scope.id, status: error.status, ...fields })
    }
    api.failed(scope, error)
    return error
  }

  get maxMessageBytes(): number {
    return this.#parts.settings.maxBodyBytes
  }

  openMessage(keyId: string): HeldMessage {
    return this.#parts.bodies.open(keyId)
  }

  /** Never rejects. */
  async #accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const protocol = this.#asked(request)!
    const connection = new OpenConnection(this, protocol, request, socket, head)
    const { scope } = connection
    let release: (() => void) | undefined
    guardSocket(socket, thrown => connection.fail(thrown))
    // HTTP lets a caller end its side and wait for the reply. A connection that its peer has left is over.
    ;(socket as Socket).allowHalfOpen = false
    this.#open.add(connection)
    socket.once('close', () => {
      this.#open.delete(connection)
      release?.()
      connection.closed()
    })
    if (this.#isStopping) connection.stop()
    try {
      if (this.#isOver) throw stopping()
      const admitted = protocol.auth === 'none' ? undefined : this.admit(scope, connection.headers)
      if (isPending(admitted)) await admitted
      // The peer may have left meanwhile.
      if (!this.#open.has(connection)) return
      const { key } = scope.record
      const room = this.#room.take({ keyId: key?.id ?? '', org: key?.org ?? '' }, protocol)
      const leave = isPending(room) ? await room : room
      if (!this.#open.has(connection)) return leave()
      release = leave
      await protocol.open(connection, this.#parts.api.services)
      connection.isServed = true
      this.#keys.begin()
    } catch (thrown) {
      const error = this.failed(scope, protocol, thrown)
      connection.refuse(this.#formatted(protocol, scope, error))
      scope.close(error)
    }
  }

  /** The protocol of a plugin that this request asks for. */
  #asked({ method, url, headers }: IncomingMessage): ConnectionProtocol | undefined {
    if (method !== 'GET') return undefined
    const path = /^(?:https?:\/\/[^/?]*)?([^?]*?)\/?(?:\?|$)/i.exec(url!)![1]!
    for (const asked of (headers.upgrade ?? '').split(',')) {
      const found = this.#parts.protocols.get(`${asked.trim().toLowerCase()} ${path}`)
      if (found) return found
    }
    return undefined
  }

  #shared(): Together | undefined {
    const { coordinated, clock } = this.#parts
    if (!coordinated.isProvided) return undefined
    return (this.#together ??= new Together(coordinated, clock, undefined))
  }

  #formatted(protocol: ConnectionProtocol, scope: LiveScope, error: GatewayError): Reply {
    let reply = errorReply(error)
    try {
      const own = protocol.error?.(error)
      if (own && replyFault(own, undefined, 'a string') === undefined) reply = own
    } catch (thrown) {
      const plugin = this.#pluginOf(protocol)
      this.#parts.log.error('an error could not be formatted', { plugin, ...describePluginError(thrown, true, mayShow(scope)) })
    }
    return { ...reply, headers: { ...reply.headers, ...error.headers } }
  }

  #pluginOf({ protocol, path }: ConnectionProtocol): string | undefined {
    return this.#parts.protocols.pluginOf(`${protocol} ${path}`)
  }
}

/**
 * True if an earlier request on the same connection still waits for its reply, or for the end of it. The socket is then not yet the
 * plugin's: the reply would end up in the middle of the protocol. Node.js keeps the reply in a member that it does not document.
 */
function hasOpenReply({ socket }: IncomingMessage): boolean {
  return Boolean((socket as { readonly _httpMessage?: unknown })._httpMessage)
}

function stopping(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway is shutting down and keeps no new connections. Connect again.`,
    retryAfterMs: 1_000,
    transient: true,
  })
}
