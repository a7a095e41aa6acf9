import type { ProviderAdapter, UpstreamHeaders, UpstreamRequest } from '../contracts/adapter.ts'
import type { EventFeed, EventReceiver } from '../runtime/event-feed.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { HttpClient, ReplyReceiver, Transfer } from '../contracts/http-client.ts'
import type { ProviderCall, Yielded } from '../contracts/provider.ts'
import { isPending } from '../runtime/pending.ts'
import { InlineMedia } from '../upstream/media/inline-media.ts'
import { exactBytes } from '../upstream/exact-bytes.ts'
import { exchange } from '../upstream/stream-transfer.ts'
import { ErrorReader } from './error-reader.ts'
import { identified } from './vendor-ids.ts'
import { iterate } from '../runtime/iterate.ts'
import { withOwnHeaders } from './own-headers.ts'
import { checkRequest, requestMistake } from './request-mistake.ts'
import { StreamReader } from './stream-reader.ts'
import { WholeReader } from './whole-reader.ts'

/** The parts that a provider needs for all of its calls. */
export interface HttpService {
  readonly adapter: ProviderAdapter
  readonly http: HttpClient
  /** Sent with every request, in lower case. */
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly connectTimeoutMs: number | undefined
}

/** Turns the bytes of one reply into events. It passes them to its feed, and never throws. */
export interface ReplyReader {
  chunk(bytes: Uint8Array): void
  /** The body is complete. */
  end(): void
  /** Nothing more will come: the connection broke, or nobody listens any more. */
  leave?(): void
}

/** One request to a vendor, and the events of its reply. Everything happens when bytes arrive, without a promise per step. */
export class HttpFeed implements EventFeed<GenerationEvent>, ReplyReceiver {
  readonly #service: HttpService
  readonly #call: ProviderCall
  /** Cleared when the feed is over. */
  #receiver: EventReceiver<GenerationEvent> | undefined
  #transfer: Transfer | undefined
  #reader: ReplyReader | undefined
  #media: InlineMedia | undefined
  /** True while the client accepts the request. A failure then may be a mistake of the plugin. */
  #isSending = false
  #unsent: unknown
  #isPaused = false
  /** Of the vendor's reply. */
  #headers: UpstreamHeaders | undefined

  constructor(service: HttpService, call: ProviderCall) {
    this.#service = service
    this.#call = call
  }

  [Symbol.asyncIterator](): AsyncIterator<Yielded> {
    return iterate(this, this.#call.signal)
  }

  deliver(receiver: EventReceiver<GenerationEvent>): void {
    this.#receiver = receiver
    const { adapter, http } = this.#service
    try {
      const fetching = adapter.media && InlineMedia.fetch(this.#call, adapter.media, http)
      if (fetching) fetching.then(media => this.#withMedia(media)).catch(error => this.fail(error))
      else this.#authorize(adapter.prepare(this.#call))
    } catch (error) {
      this.fail(error)
    }
  }

  pause(): void {
    this.#isPaused = true
    this.#transfer?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#transfer?.resume()
  }

  stop(): void {
    if (!this.#receiver) return
    this.#leave()
    this.#transfer?.stop()
  }

  head(status: number, headers: UpstreamHeaders): void {
    const { adapter } = this.#service
    this.#call.clock?.replied?.()
    this.#headers = headers
    if (status >= 300) this.#reader = new ErrorReader(this, adapter, this.#call, status, headers)
    else {
      this.#releaseMedia()
      const Reader = this.#call.request.stream ? StreamReader : WholeReader
      this.#reader = new Reader(this, adapter, this.#call)
    }
  }

  chunk(bytes: Uint8Array): void {
    this.#reader?.chunk(bytes)
  }

  end(): void {
    this.#reader?.end()
  }

  /** Also for errors before the request was sent. */
  fail(error: unknown): void {
    if (this.#isSending) {
      this.#unsent = error
      return
    }
    const receiver = this.#receiver
    this.#leave()
    receiver?.fail(this.#headers ? identified(error, this.#headers) : error)
  }

  /** For readers. */
  events(list: readonly GenerationEvent[]): void {
    this.#receiver?.events(list)
  }

  /** For readers: the answer is complete. Later bytes go to the reader until it calls `close`. */
  complete(): void {
    const receiver = this.#receiver
    this.#receiver = undefined
    this.resume()
    receiver?.end()
  }

  /** For readers: the reply is not an answer, or a broken one. */
  refuse(error: unknown): void {
    this.fail(error)
    this.#transfer?.stop()
  }

  /** For readers: ignore all later bytes. */
  close(): void {
    this.#transfer?.stop()
  }

  async #withMedia(media: InlineMedia): Promise<void> {
    this.#media = media
    if (!this.#receiver) return this.#releaseMedia()
    this.#authorize(media.request(this.#service.adapter))
  }

  #authorize(prepared: UpstreamRequest): void {
    checkRequest(prepared, 'prepare')
    const { adapter, headers } = this.#service
    const request = withOwnHeaders(prepared, headers, this.#call.traceparent)
    if (!adapter.authorize) return this.#send(request, request)
    const authorized = adapter.authorize(request, this.#call.credentialId, this.#call.signal)
    if (isPending(authorized))
      Promise.resolve(authorized)
        .then(signed => this.#send(signed, request))
        .catch((error: unknown) => this.fail(error))
    else this.#send(authorized, request)
  }

  #send(request: UpstreamRequest, prepared: UpstreamRequest): void {
    // It may have been stopped while it waited.
    if (!this.#receiver) return
    checkRequest(request, 'authorize')
    const { http, connectTimeoutMs } = this.#service
    const { body } = request
    this.#isSending = true
    try {
      const sent = body !== undefined && this.#call.request.stream ? { ...request, body: exactBytes(body) } : request
      this.#transfer = exchange(http, sent, this, { signal: this.#call.signal, connectTimeoutMs })
    } catch (error) {
      this.#unsent = error
    }
    this.#isSending = false
    if (this.#unsent !== undefined) return this.fail(requestMistake(request, prepared) ?? this.#unsent)
    if (this.#isPaused) this.#transfer?.pause()
  }

  #leave(): void {
    this.#receiver = undefined
    this.#reader?.leave?.()
    this.#releaseMedia()
  }

  #releaseMedia(): void {
    this.#media?.release()
    this.#media = undefined
  }
}
