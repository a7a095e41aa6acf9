// Loaded at the first upgrade.

import crossws, { type NodeAdapter } from 'crossws/adapters/node'
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../../../core/index.ts'
import { type Connection, type Conversations, type GatewayServices, own, wording, type Wording } from '../../../core/kit.ts'
import { explainCloses } from './explained-close.ts'
import { ResponsesSocket, type SocketOptions } from './responses-socket.ts'
import { Upkeep } from './upkeep.ts'

/** All WebSockets of the gateway. */
export class WebSocketSurface {
  readonly #options: SocketOptions
  readonly #conversations: Conversations | undefined
  readonly #upkeep: Upkeep
  #adapter: NodeAdapter | undefined

  constructor(options: SocketOptions, conversations: Conversations | undefined) {
    this.#options = options
    this.#conversations = conversations
    this.#upkeep = new Upkeep(options)
  }

  /** Answers the upgrade. Throws a 400 or 426 for one that is not in order. */
  async open(connection: Connection, gateway: GatewayServices): Promise<void> {
    const { request, socket, head } = connection
    checkUpgrade(request)
    const own = new ResponsesSocket(connection, gateway, this.#options, this.#conversations)
    // The adapter reads nothing else of it.
    const opening = { url: '', headers: new Headers(), context: { own } } as unknown as Request
    await this.#adapterFor(connection).handleUpgrade(request, socket, head, opening)
  }

  #adapterFor({ maxMessageBytes }: Connection): NodeAdapter {
    const upkeep = this.#upkeep
    return (this.#adapter ??= crossws({
      // Peers that only read while they wait for an answer would not answer its pings in time.
      idleTimeout: 0,
      getNamespace: () => 'responses',
      serverOptions: { maxPayload: maxMessageBytes, perMessageDeflate: false, clientTracking: false },
      hooks: {
        upgrade: opening => ({ headers: { 'x-request-id': ownOf(opening).id } }),
        open(peer) {
          explainCloses(peer, maxMessageBytes)
          ownOf(peer).opened(peer)
          upkeep.add(ownOf(peer))
        },
        message: (peer, { rawData }) => ownOf(peer).received(rawData),
        drain: peer => ownOf(peer).drained(),
        close: peer => {
          upkeep.remove(ownOf(peer))
          ownOf(peer).closed()
        },
      },
    }))
  }
}

function ownOf({ context }: { readonly context?: unknown }): ResponsesSocket {
  return (context as { readonly own: ResponsesSocket }).own
}

/** The adapter refuses such upgrades, too, but past the records. */
function checkUpgrade({ headers }: IncomingMessage): void {
  const version = headers['sec-websocket-version']
  if (version !== '13' && version !== '8')
    throw badUpgrade(
      426,
      wording`Expected the header sec-websocket-version: 13, but got ${version === undefined ? own('none') : `"${version.slice(0, 40)}"`}.`,
      {
        'sec-websocket-version': '13, 8',
      },
    )
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? ''))
    throw badUpgrade(
      400,
      wording`Expected the header sec-websocket-key with 16 random bytes in Base64. A WebSocket client sends it by itself.`,
    )
  const protocols = headers['sec-websocket-protocol']
  if (protocols !== undefined && !/^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/.test(protocols))
    throw badUpgrade(400, wording`The header sec-websocket-protocol is not a list of tokens. Leave it out: no subprotocol is served here.`)
  if (headers.upgrade?.toLowerCase() !== 'websocket') throw badUpgrade(400, wording`Expected the header upgrade to name websocket alone.`)
}

function badUpgrade(status: number, message: Wording, headers?: Readonly<Record<string, string>>): GatewayError {
  return new GatewayError({ status, type: 'invalid_request_error', code: 'invalid_upgrade', message, ...(headers && { headers }) })
}
