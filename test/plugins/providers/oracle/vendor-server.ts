import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ServedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

// Headers of the recorded connection, not of the reply.
const notServed = /^(connection|content-encoding|content-length|keep-alive|transfer-encoding|date)$/i

/** Answers every request with the reply that stands under the first part of its path, in one piece. */
export class VendorServer {
  readonly #replies = new Map<string, ServedReply>()
  readonly #server: Server
  #served = 0

  constructor() {
    this.#server = createServer((request, response) => {
      request.resume()
      const reply = this.#replies.get(request.url!.split('/')[1]!)
      if (!reply) return void response.writeHead(500).end('nothing is served here')
      const headers = Object.entries(reply.headers).filter(([name]) => !notServed.test(name))
      response.writeHead(reply.status, Object.fromEntries(headers)).end(reply.body)
    })
  }

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
  }

  /** The base address of this reply. */
  serve(reply: ServedReply): string {
    const name = String(this.#served++)
    this.#replies.set(name, reply)
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}
