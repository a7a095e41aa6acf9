import type { Decoder, Framer, ProviderAdapter } from '../contracts/adapter.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { ProviderCall } from '../contracts/provider.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import { jsonLinesFramer, sseFramer } from '../upstream/sse.ts'
import type { HttpFeed, ReplyReader } from './http-feed.ts'
import { failureOf, FirstBytes } from './no-reply.ts'
import { readWhole } from './read-whole.ts'
import { Unsaid } from './unsaid.ts'

/** How long a body may stay open after its answer is complete, and how much may follow it, so that the connection can be reused. */
const restMs = 1_000
const maxRestBytes = 64 * 1024

/** Reads a streamed reply. */
export class StreamReader implements ReplyReader {
  readonly #feed: HttpFeed
  readonly #adapter: ProviderAdapter
  readonly #call: ProviderCall
  readonly #framer: Framer
  readonly #decoder: Decoder
  readonly #firstBytes = new FirstBytes()
  readonly #unsaid: Unsaid
  #decoded: GenerationEvent[] = []
  #isFinished = false
  #isCounted = false
  /** The answer was delivered. Only the rest of the body may follow. */
  #isOver = false
  #restBytes = 0
  #restTimer: NodeJS.Timeout | undefined

  constructor(feed: HttpFeed, adapter: ProviderAdapter, call: ProviderCall) {
    this.#feed = feed
    this.#adapter = adapter
    this.#call = call
    this.#framer = framerFor(adapter)
    this.#decoder = adapter.decoder(call)
    this.#unsaid = new Unsaid(call)
  }

  chunk(bytes: Uint8Array): void {
    if (this.#isOver) return this.#rest(bytes)
    this.#firstBytes.add(bytes)
    try {
      this.#unsaid.chunk(bytes.byteLength)
      this.#framer.feed(bytes, this.#push)
      this.#unsaid.tell()
    } catch (error) {
      // Deliver the events of earlier frames before the failure of a later one.
      this.#firstBytes.heard(this.#decoded)
      return this.#fail(error)
    }
    this.#firstBytes.heard(this.#decoded)
    this.#deliver()
    if (this.#isOver) return
    if (this.#isFinished && this.#isCounted) this.#complete()
    else if (this.#isFinished || this.#decoder.isComplete) this.#restTimer ??= setTimeout(this.#closed, restMs)
  }

  end(): void {
    clearTimeout(this.#restTimer)
    if (!this.#isOver) this.#conclude(true)
  }

  leave(): void {
    this.#isOver = true
    clearTimeout(this.#restTimer)
  }

  readonly #push = (data: string, event?: string): void => {
    if (this.#isFinished && this.#isCounted) return
    const before = this.#decoded.length
    this.#decoder.frame(data, event, this.#emit)
    this.#unsaid.frame(data.length, this.#decoded.length === before)
  }

  readonly #emit = (event: GenerationEvent): void => {
    if (event.type === 'usage') this.#isCounted = true
    else if (event.type === 'finish') this.#isFinished = true
    else if (this.#isFinished) return
    this.#decoded.push(event)
  }

  /** The body stayed open after its answer, or after what followed it. */
  readonly #closed = (): void => {
    if (!this.#isOver) this.#conclude(false)
    this.#feed.close()
  }

  /** No more frames will come. */
  #conclude(isWhole: boolean): void {
    try {
      if (isWhole) this.#framer.end?.(this.#push)
      this.#decoder.end?.(this.#emit)
      this.#firstBytes.heard(this.#decoded)
      if (!this.#firstBytes.isAnswer) this.#answerInstead()
    } catch (error) {
      return this.#fail(error)
    }
    this.#deliver()
    this.#isOver = true
    this.#feed.complete()
  }

  /** Keeps reading, so that the connection can be reused if the rest is short and comes soon. */
  #complete(): void {
    this.#isOver = true
    clearTimeout(this.#restTimer)
    this.#restTimer = setTimeout(this.#closed, restMs).unref()
    this.#feed.complete()
  }

  #rest({ byteLength }: Uint8Array): void {
    this.#restBytes += byteLength
    if (this.#restBytes <= maxRestBytes) return
    clearTimeout(this.#restTimer)
    this.#feed.close()
  }

  #fail(error: unknown): void {
    this.#isOver = true
    this.#deliver()
    this.#feed.refuse(failureOf(error, this.#firstBytes.isAnswer ? undefined : this.#firstBytes.text))
  }

  #deliver(): void {
    if (this.#decoded.length === 0) return
    const decoded = this.#decoded
    this.#decoded = []
    this.#feed.events(decoded)
  }

  /** No events arrived. Servers that do not stream send a whole reply, or an error with a success status. */
  #answerInstead(): void {
    const { text } = this.#firstBytes
    if (this.#adapter.framing !== 'sse' || !text.trimStart().startsWith('{')) throw cutShort(this.#call.endpoint.provider, text)
    const decoded: GenerationEvent[] = []
    readWhole(this.#adapter, this.#call, text, decoded)
    for (const event of decoded) this.#emit(event)
  }
}

function framerFor({ framing }: ProviderAdapter): Framer {
  if (framing === 'sse') return sseFramer()
  return framing === 'json-lines' ? jsonLinesFramer() : framing()
}
