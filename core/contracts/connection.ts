import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { GatewayError } from '../foundation/errors.ts'
import type { Logger } from '../foundation/logger.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { RequestScope } from './request-scope.ts'
import type { GatewayServices, Reply } from './route.ts'
import type { Caller } from './run-context.ts'

/**
 * A protocol that keeps the connection of an HTTP request, such as WebSocket. Experimental: it may change in any version. It needs Node.js
 * 24.9 or later.
 */
export interface ConnectionProtocol {
  /** The value of the header `upgrade`, in lower case, such as `websocket`. */
  readonly protocol: string
  /** Such as `/v1/responses`, without parameters. Matches with and without a trailing slash. A route may have the same path. */
  readonly path: string
  /**
   * `key`, the default: core authenticates the upgrade before it calls `open`. `none`: anyone may connect, and the key comes later, in a
   * message. Either way, core authenticates each message.
   */
  readonly auth?: 'key' | 'none'
  /** The most connections of one API key, in all processes that count together. One more is a 429. Default: only the gateway's own limits. */
  readonly maxPerKey?: number
  /** The prefix of the ids of its requests. Default: `req`. */
  readonly idPrefix?: string
  /** The public API that its requests are recorded under. Null: none. Default: the name of the plugin. */
  readonly surface?: string | null
  /** Formats the error of an upgrade that is refused. Default: core's error body. */
  error?(error: GatewayError): Reply
  /**
   * Called for each upgrade that was admitted. It answers on the socket, as with a 101, and serves the connection from then on. To refuse
   * the upgrade, it throws a `GatewayError` before it writes. Any other throw is a 500. What it throws after it has written closes the
   * connection, and so does what a listener of the socket throws. It has no time limit.
   */
  open(connection: Connection, gateway: GatewayServices): Maybe<void>
}

/** A connection, from its upgrade until the socket has closed. */
export interface Connection {
  /** The id of the upgrade, which is a request with its own record. Each message has another one. */
  readonly id: string
  /** The upgrade. Its headers contain the key: never log them. */
  readonly request: IncomingMessage
  /**
   * Nobody else reads or writes it. It is paused until the plugin reads it, and ends when the peer ends its side. How long the peer may be
   * silent is up to the plugin.
   */
  readonly socket: Duplex
  /** The bytes that came with the upgrade. They belong to the protocol. */
  readonly head: Buffer
  /** Who opened the connection. Reading it throws if `auth` is `none`. */
  readonly caller: Caller
  /** The gateway's log. Write no content to it. */
  readonly log: Logger
  /** Aborted when the socket has closed. */
  readonly signal: AbortSignal
  /** The largest message that the peer may send, in bytes: that of an HTTP body. */
  readonly maxMessageBytes: number
  /** Counts the memory of a message with that of HTTP bodies. */
  openMessage(): HeldMessage
  /** Parses a message within the limits of HTTP bodies. Throws a 400. */
  json(text: string): unknown
  /**
   * Serves one message as a separate request: authenticates its key, calls `handle`, and ends in exactly one record. Resolves with the
   * error that the peer should get, or undefined. It never rejects. `handle` throws or returns a `GatewayError` for a request that failed; any
   * other throw is a 500. When the connection closes, the request is cancelled. `authorization` is that of a key that came in a
   * message, such as `Bearer tp_…`. Default: the key of the upgrade.
   */
  serve(handle: (scope: RequestScope) => Maybe<GatewayError | void>, authorization?: string): Promise<GatewayError | undefined>
  /**
   * Calls `leave` when the gateway begins to shut down: finish what is open, tell the peer, and end the socket. After
   * `server.drainTimeoutMs`, open requests end with an error, and two seconds later the socket is destroyed.
   */
  onStop(leave: () => void): void
  /**
   * Calls `leave` when the key of the upgrade is accepted no longer, such as one that was disabled. Its requests were cancelled with the same
   * 401. Tell the peer, and end the socket. Without a listener, core destroys it. Core looks every two seconds.
   */
  onRevoked(leave: (error: GatewayError) => void): void
}

/** A message while it is received and answered. */
export interface HeldMessage {
  /** Call before so many bytes in all are kept. Throws a 503 if the messages and bodies of all requests leave no room. */
  hold(bytes: number): void
  /** Call it when the message was answered. Frees the memory. */
  release(): void
}
