import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connection, ConnectionProtocol, HeldMessage } from '../../contracts/connection.ts'
import type { RequestScope } from '../../contracts/request-scope.ts'
import type { Reply } from '../../contracts/route.ts'
import type { Caller } from '../../contracts/run-context.ts'
import { GatewayError } from '../../foundation/errors.ts'
import type { Logger } from '../../foundation/logger.ts'
import { isPending, type Maybe } from '../../runtime/pending.ts'
import { jsonIn, withoutByteOrderMark } from '../body.ts'
import type { HeaderReader } from '../channel.ts'
import { NodeChannel } from '../node-channel.ts'
import type { LiveScope } from '../scope.ts'
import { send } from '../send.ts'

/** How long a peer may take to read why its upgrade was refused. */
const farewellMs = 5_000

/** The parts of the gateway that connections use. */
export interface ConnectionHost {
  /** Begins a request with its record. `method` and `path`: as recorded. */
  begin(protocol: ConnectionProtocol, method: string): LiveScope
  /** Waits for room in the records, and authenticates. Throws a 401 or 503. */
  admit(scope: LiveScope, headers: HeaderReader): Maybe<void>
  /** The error for what was thrown. It is logged and recorded. */
  failed(scope: LiveScope, protocol: ConnectionProtocol, thrown: unknown): GatewayError
  readonly maxMessageBytes: number
  openMessage(keyId: string): HeldMessage
}

export class OpenConnection implements Connection {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly log: Logger
  readonly protocol: ConnectionProtocol
  /** That of the upgrade. */
  readonly scope: LiveScope
  /** True once the plugin has answered the upgrade. */
  isServed = false
  readonly #host: ConnectionHost
  readonly #channel: NodeChannel
  readonly #response: ServerResponse
  /** Those of messages that are being served. */
  readonly #scopes = new Set<LiveScope>()
  readonly #leaving: (() => void)[] = []
  readonly #revoked: ((error: GatewayError) => void)[] = []
  /** The bytes of replies to earlier requests on the socket. */
  readonly #bytesBefore: number
  #isLeaving = false
  #isRevoked = false

  constructor(host: ConnectionHost, protocol: ConnectionProtocol, request: IncomingMessage, socket: Duplex, head: Buffer) {
    this.#host = host
    this.protocol = protocol
    this.request = request
    this.socket = socket
    this.head = head
    this.#response = new ServerResponse(request)
    this.#channel = new NodeChannel(request, this.#response)
    this.#bytesBefore = bytesWritten(socket)
    this.scope = host.begin(protocol, 'GET')
    this.scope.traceHeaders = this.#channel
    this.log = this.scope.log
  }

  get id(): string {
    return this.scope.id
  }

  get caller(): Caller {
    return this.scope.caller
  }

  get signal(): AbortSignal {
    return this.scope.signal
  }

  get maxMessageBytes(): number {
    return this.#host.maxMessageBytes
  }

  openMessage(): HeldMessage {
    return this.#host.openMessage(this.scope.record.key?.id ?? '')
  }

  json(text: string): unknown {
    return jsonIn(withoutByteOrderMark(text))
  }

  get headers(): HeaderReader {
    return this.#channel
  }

  async serve(handle: (scope: RequestScope) => Maybe<GatewayError | void>, authorization?: string): Promise<GatewayError | undefined> {
    const scope = this.#host.begin(this.protocol, this.protocol.protocol.toUpperCase())
    this.#scopes.add(scope)
    scope.traceHeaders = this.headers
    if (this.socket.destroyed) scope.leave()
    const headers =
      authorization === undefined ? this.headers : { get: (name: string) => (name === 'authorization' ? authorization : null) }
    let failure: unknown
    try {
      const admitted = this.#host.admit(scope, headers)
      if (isPending(admitted)) await admitted
      scope.sentSession ??= this.scope.sentSession
      failure = await handle(scope)
    } catch (thrown) {
      failure = thrown ?? new Error('nothing was thrown')
    }
    const error = failure === undefined ? undefined : this.#host.failed(scope, this.protocol, failure)
    scope.close(error ?? 200)
    if (scope.work) void scope.work.then(() => this.#scopes.delete(scope))
    else this.#scopes.delete(scope)
    return error
  }

  onStop(leave: () => void): void {
    this.#leaving.push(leave)
    if (this.#isLeaving) this.#call(leave)
  }

  onRevoked(leave: (error: GatewayError) => void): void {
    this.#revoked.push(leave)
  }

  /** The key of the upgrade is accepted no longer. */
  revoke(error: GatewayError): void {
    if (this.#isRevoked) return
    this.#isRevoked = true
    for (const scope of this.#scopes) {
      scope.cancellation.abort(error)
      // As when the socket closes, which may be before or after the request has ended.
      scope.close(499)
    }
    for (const leave of this.#revoked) this.#call(() => leave(error))
    if (this.#revoked.length === 0) this.socket.destroy()
  }

  /** The gateway begins to shut down. */
  stop(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    for (const leave of this.#leaving) this.#call(leave)
  }

  /** The plugin has thrown where nobody else catches it. */
  fail(thrown: unknown): void {
    this.#host.failed(this.scope, this.protocol, thrown)
    this.socket.destroy()
  }

  /** The socket has closed. */
  closed(): void {
    const isRecorded = this.protocol.auth !== 'none'
    if (this.isServed) this.scope.close(101, isRecorded)
    this.scope.leave()
    this.scope.close(499, isRecorded)
    for (const scope of this.#scopes) {
      scope.leave()
      scope.close(499)
    }
  }

  /** Answers the upgrade with an error. If the plugin has answered already, this ends the connection. */
  refuse(reply: Reply): void {
    const { socket } = this
    if (socket.destroyed || bytesWritten(socket) !== this.#bytesBefore) return void socket.destroy()
    setTimeout(() => socket.destroy(), farewellMs).unref()
    const response = this.#response
    response.shouldKeepAlive = false
    response.assignSocket(socket as Socket)
    send(this.#channel, reply, this.id)
    // A peer that is still sending would see a reset instead of the reply if the rest were not read.
    response.once('finish', () =>
      socket
        .once('end', () => socket.destroy())
        .resume()
        .end(),
    )
  }

  #call(leave: () => void): void {
    try {
      leave()
    } catch (thrown) {
      this.fail(thrown)
    }
  }
}

function bytesWritten(socket: Duplex): number {
  return (socket as Partial<Pick<Socket, 'bytesWritten'>>).bytesWritten ?? 0
}
