import type { ProviderAdapter } from '../contracts/adapter.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { ProviderCall } from '../contracts/provider.ts'
import { replyTooLarge, ReplyText } from '../upstream/reply-text.ts'
import type { HttpFeed, ReplyReader } from './http-feed.ts'
import { failureOf } from './no-reply.ts'
import { readWhole } from './read-whole.ts'

const maxBytes = 64 * 1024 * 1024

/** Reads a reply that did not stream. */
export class WholeReader implements ReplyReader {
  readonly #feed: HttpFeed
  readonly #adapter: ProviderAdapter
  readonly #call: ProviderCall
  readonly #received = new ReplyText()

  constructor(feed: HttpFeed, adapter: ProviderAdapter, call: ProviderCall) {
    this.#feed = feed
    this.#adapter = adapter
    this.#call = call
  }

  chunk(bytes: Uint8Array): void {
    this.#received.add(bytes)
    try {
      this.#call.holds?.(this.#received.bytes)
      if (this.#received.bytes > maxBytes) throw replyTooLarge(maxBytes)
    } catch (error) {
      this.#feed.refuse(error)
    }
  }

  end(): void {
    const decoded: GenerationEvent[] = []
    let failure: unknown
    const text = this.#received.take()
    try {
      readWhole(this.#adapter, this.#call, text, decoded)
    } catch (error) {
      failure = failureOf(error, text)
    }
    try {
      // The bytes are no longer held. From here on, the events count.
      this.#call.holds?.(0)
    } catch (error) {
      return this.#feed.fail(error)
    }
    if (decoded.length > 0) this.#feed.events(decoded)
    if (failure) this.#feed.fail(failure)
    else this.#feed.complete()
  }
}
