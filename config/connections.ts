import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/** Whoever has just connected is about to ask, and cannot be told that the connection closes. */
const unusedFactor = 5

/** Tracks the open connections of a server, so that they can be closed without a reset. Costs nothing per request. */
export class Connections {
  readonly #quiet = new Map<HttpSocket, Quiet>()
  readonly #server: Server
  #isEnding = false

  constructor(server: Server) {
    this.#server = server
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: HttpSocket) => {
      this.#quiet.set(socket, { sinceMs: performance.now(), bytesRead: 0 })
      socket.once('close', () => this.#quiet.delete(socket))
    })
    this.leaveUpgrades()
  }

  /** Leaves connections that a plugin keeps to the gateway, which closes them. Call when the server's listeners for upgrades are there. */
  leaveUpgrades(): void {
    // A listener would make every upgrade one.
    if (this.#server.listenerCount('upgrade') > 0) this.#server.on('upgrade', (_, socket) => this.#quiet.delete(socket as HttpSocket))
  }

  /** The responses in progress. */
  get responses(): readonly ServerResponse[] {
    return Array.from(this.#quiet.keys(), ({ _httpMessage }) => _httpMessage).filter(response => response != null)
  }

  /** Makes every response whose headers are not sent yet announce that its connection closes. */
  announceEnd(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    const announce = (response: ServerResponse): void => void (response.shouldKeepAlive = false)
    this.#server.prependListener('request', (_, response) => announce(response))
    const now = performance.now()
    for (const [socket, quiet] of this.#quiet) {
      quiet.sinceMs = now
      if (socket._httpMessage) announce(socket._httpMessage)
    }
  }

  /** Closes connections without traffic for `forMs`. Called repeatedly during a drain, when everything that has arrived was read. */
  closeQuiet(forMs: number): void {
    const now = performance.now()
    for (const [socket, quiet] of this.#quiet) {
      if (socket._httpMessage || socket.bytesRead !== quiet.bytesRead) {
        quiet.sinceMs = now
        quiet.bytesRead = socket.bytesRead
      } else if (now - quiet.sinceMs >= (socket.bytesRead === 0 ? forMs * unusedFactor : forMs)) socket.destroy()
    }
  }
}

interface Quiet {
  sinceMs: number
  bytesRead: number
}

/** `_httpMessage` is the response in progress. Node has no public way to get it from a connection. */
interface HttpSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null
}
