import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/** The open connections of a server, so that they can be ended without a reset. Costs nothing for each request. */
export class Connections {
  readonly #quiet = new Map<HttpSocket, Quiet>()
  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: HttpSocket) => {
      this.#quiet.set(socket, { sinceMs: performance.now(), bytesRead: 0 })
      socket.once('close', () => this.#quiet.delete(socket))
    })
  }

  /** From now on every answer whose head is not sent yet says that its connection closes. */
  announceEnd(): void {
    const announce = (response: ServerResponse): void => void (response.shouldKeepAlive = false)
    this.#server.prependListener('request', (_, response) => announce(response))
    const now = performance.now()
    for (const [socket, quiet] of this.#quiet) {
      quiet.sinceMs = now
      if (socket._httpMessage) announce(socket._httpMessage)
    }
  }

  /** Closes the connections on which nothing was asked or answered for so long. Called again and again. */
  closeQuiet(forMs: number): void {
    const now = performance.now()
    for (const [socket, quiet] of this.#quiet) {
      if (socket._httpMessage || socket.bytesRead !== quiet.bytesRead) {
        quiet.sinceMs = now
        quiet.bytesRead = socket.bytesRead
      } else if (now - quiet.sinceMs >= forMs) socket.destroy()
    }
  }
}

interface Quiet {
  sinceMs: number
  bytesRead: number
}

/** `_httpMessage` is the answer under way: no public way leads from a connection to it. */
interface HttpSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null
}
