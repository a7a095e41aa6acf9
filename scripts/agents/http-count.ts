import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const channel = 'http.server.request.start'

/** Counts the requests over HTTP, other than upgrades, that a server of this process gets for a path. */
export class HttpCount {
  count = 0
  readonly #port: number
  readonly #path: string

  constructor(url: string, path: string) {
    this.#port = Number(new URL(url).port)
    this.#path = path
    subscribe(channel, this.#see)
  }

  stop(): void {
    unsubscribe(channel, this.#see)
  }

  readonly #see = (message: unknown): void => {
    const { request, server } = message as { request: IncomingMessage; server: Server }
    if ((server.address() as AddressInfo | null)?.port === this.#port && request.method === 'POST' && request.url === this.#path)
      this.count++
  }
}
