import type { Readable } from 'node:stream'
import type { UpstreamRequest } from '../contracts/adapter.ts'
import type { HttpClient, ReplyReceiver, SendOptions, Transfer } from '../contracts/http-client.ts'
import { networkFailure } from './network-failure.ts'
import { discard } from './discard.ts'

/** An exchange with any client, in the cheapest way that the client offers. */
export function exchange(http: HttpClient, request: UpstreamRequest, receiver: ReplyReceiver, options: SendOptions): Transfer {
  return http.exchange ? http.exchange(request, receiver, options.connectTimeoutMs) : new StreamTransfer(http, request, receiver, options)
}

/** Reads the stream of a client that has only `send`. */
class StreamTransfer implements Transfer {
  readonly #receiver: ReplyReceiver
  #body: Readable | undefined
  #isPaused = false
  #isStopped = false
  #go: (() => void) | undefined

  constructor(http: HttpClient, request: UpstreamRequest, receiver: ReplyReceiver, options: SendOptions) {
    this.#receiver = receiver
    void this.#run(http, request, options)
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#go?.()
    this.#go = undefined
  }

  stop(): void {
    this.#isStopped = true
    if (this.#body) discard(this.#body)
    this.resume()
  }

  async #run(http: HttpClient, request: UpstreamRequest, options: SendOptions): Promise<void> {
    try {
      const { status, headers, body } = await http.send(request, options)
      if (this.#isStopped) return discard(body)
      this.#body = body
      this.#receiver.head(status, headers)
      await this.#read(body).catch(error => Promise.reject(networkFailure(error, options.signal)))
      if (!this.#isStopped) this.#receiver.end()
    } catch (error) {
      if (!this.#isStopped) this.#receiver.fail(error)
    }
  }

  async #read(body: Readable): Promise<void> {
    let chunk: Uint8Array | undefined
    for await (chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      if (this.#isStopped) return
      this.#receiver.chunk(chunk)
      // This may wait for a client that does not read, and must not keep the chunk in memory meanwhile.
      chunk = undefined
      if (this.#isPaused) await new Promise<void>(resolve => (this.#go = resolve))
    }
  }
}
