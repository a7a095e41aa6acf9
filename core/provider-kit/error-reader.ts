import type { ProviderAdapter, UpstreamHeaders } from '../contracts/adapter.ts'
import type { ProviderCall } from '../contracts/provider.ts'
import { ReplyText } from '../upstream/reply-text.ts'
import type { HttpFeed, ReplyReader } from './http-feed.ts'
import { redirected } from './no-reply.ts'

/** The rest of a longer error is cut off. */
const maxBytes = 256 * 1024

/** Reads a reply whose status is not that of an answer. */
export class ErrorReader implements ReplyReader {
  readonly #feed: HttpFeed
  readonly #adapter: ProviderAdapter
  readonly #call: ProviderCall
  readonly #status: number
  readonly #headers: UpstreamHeaders
  readonly #received = new ReplyText()

  constructor(feed: HttpFeed, adapter: ProviderAdapter, call: ProviderCall, status: number, headers: UpstreamHeaders) {
    this.#feed = feed
    this.#adapter = adapter
    this.#call = call
    this.#status = status
    this.#headers = headers
  }

  chunk(bytes: Uint8Array): void {
    this.#received.add(bytes)
    if (this.#received.bytes > maxBytes) this.#feed.refuse(this.#failure())
  }

  end(): void {
    this.#feed.fail(this.#failure())
  }

  #failure(): unknown {
    const text = this.#received.take()
    if (this.#status < 400) return redirected(this.#status, this.#headers, text, this.#call)
    try {
      return this.#adapter.failure(this.#status, this.#headers, text)
    } catch (error) {
      return error
    }
  }
}
