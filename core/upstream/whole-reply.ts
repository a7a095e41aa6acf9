import type { UpstreamHeaders, UpstreamRequest } from '../contracts/adapter.ts'
import type { HttpClient, ReplyReceiver, Transfer } from '../contracts/http-client.ts'
import { ReplyText, replyTooLarge } from './reply-text.ts'
import { exchange } from './stream-transfer.ts'

/** A vendor's reply that has arrived. */
export interface WholeReply {
  /** Any HTTP status: 400 and above do not throw. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: UpstreamHeaders
  /** The body, decompressed, read as UTF-8. */
  readonly text: string
}

/** Limits of one reply. */
export interface WholeReplyOptions {
  /** Closes the connection when it aborts, and rejects with its reason. */
  readonly signal: AbortSignal
  /** Of the decompressed body. A larger one is a `ProviderFailure`. */
  readonly maxBytes: number
}

/**
 * Sends a request and reads the whole reply. It creates no stream, so it costs half as much as `HttpClient.send`. Throws the same errors.
 */
export function wholeReply(http: HttpClient, request: UpstreamRequest, options: WholeReplyOptions): Promise<WholeReply> {
  const { signal } = options
  if (signal.aborted) return Promise.reject(signal.reason as Error)
  return new Promise((resolve, reject) => {
    new Collector(options, resolve, reject).start(http, request)
  })
}

class Collector implements ReplyReceiver {
  readonly #options: WholeReplyOptions
  readonly #resolve: (reply: WholeReply) => void
  readonly #reject: (error: unknown) => void
  readonly #received = new ReplyText()
  #status = 0
  #headers: UpstreamHeaders = {}
  #transfer: Transfer | undefined

  constructor(options: WholeReplyOptions, resolve: (reply: WholeReply) => void, reject: (error: unknown) => void) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
  }

  start(http: HttpClient, request: UpstreamRequest): void {
    const { signal } = this.#options
    signal.addEventListener('abort', this.#onAbort)
    this.#transfer = exchange(http, request, this, { signal })
  }

  head(status: number, headers: UpstreamHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  chunk(bytes: Uint8Array): void {
    const { maxBytes } = this.#options
    this.#received.add(bytes)
    if (this.#received.bytes > maxBytes) this.#refuse(replyTooLarge(maxBytes))
  }

  end(): void {
    this.#leave()
    this.#resolve({ status: this.#status, headers: this.#headers, text: this.#received.take() })
  }

  fail(error: unknown): void {
    this.#leave()
    this.#reject(error)
  }

  readonly #onAbort = (): void => this.#refuse(this.#options.signal.reason)

  #refuse(error: unknown): void {
    this.#received.take()
    this.fail(error)
    this.#transfer?.stop()
  }

  #leave(): void {
    this.#options.signal.removeEventListener('abort', this.#onAbort)
  }
}
