import type { Capabilities, Endpoint, NamedEndpoint } from './catalog.ts'
import type { Embedder, EmbeddingCall, EmbeddingReply } from './embedding.ts'
import type { GenerationEvent } from './events.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { ProviderCall, ProviderFailure } from './provider.ts'
import type { TextFormat } from './request.ts'
import type { RerankCall, Reranker, RerankReply } from './rerank.ts'

/** One request to a vendor, as `prepare` builds it and `HttpClient` sends it. */
export interface UpstreamRequest {
  /** `GET` for lists of models; most others are `POST`. */
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Absolute: `https://api.example.com/v1/chat`. */
  readonly url: string
  /** The query after the `?`, if it repeats content from a caller. Clients remember addresses, but never this. */
  readonly query?: string
  /** Names in lower case, without the credential until `authorize`. */
  readonly headers: Readonly<Record<string, string>>
  /** Text or bytes as sent. Absent: no body. */
  readonly body?: string | Uint8Array
}

/** Names are in lower case. Repeated headers are joined with ", ". */
export type UpstreamHeaders = Readonly<Record<string, string | undefined>>

/** Passes one event on to core. Synchronous. */
export type Emit = (event: GenerationEvent) => void

/** A vendor's dialect, without I/O. `httpProvider(id, adapter, gateway.http, options)` turns it into a provider. */
export interface ProviderAdapter {
  /** See `Provider.dialect`. */
  readonly dialect?: string
  /** See `Provider.dialectOf`. */
  dialectOf?(endpoint: NamedEndpoint): string | undefined
  /** The capabilities of every model in this dialect. The catalog overrides them. */
  readonly capabilities?: Capabilities
  /** See `Provider.capabilitiesOf`. */
  capabilitiesOf?(endpoint: NamedEndpoint): Capabilities
  /** True if the vendor can enforce this format, if that depends on model or schema. If not, core describes it in the prompt and checks the answer. */
  enforcesFormat?(format: TextFormat, endpoint: Endpoint): boolean
  /** How core splits a streamed reply into frames. */
  readonly framing: 'sse' | 'json-lines' | (() => Framer)
  /** `inline`: the vendor does not fetch URLs. Core downloads the media and replaces each URL with a `data:` URL before `prepare`. */
  readonly media?: {
    /** The form of images: an address for the vendor, or bytes. */
    readonly images: 'url' | 'inline'
    /** The form of files, likewise. */
    readonly files: 'url' | 'inline'
  }
  /**
   * Builds the vendor's request, without credentials. Pure. Throws `ProviderFailure` of kind `invalid-request` for content that the dialect
   * cannot express. A request that cannot be sent, such as one with a line break in a header, is a failure of kind `protocol`.
   */
  prepare(call: ProviderCall): UpstreamRequest
  /** Adds the credential: a header, a signature. */
  authorize?(request: UpstreamRequest, credentialId: string | undefined, signal: AbortSignal): Maybe<UpstreamRequest>
  /** State for one streamed reply. */
  decoder(call: ProviderCall): Decoder
  /** Reads a reply that did not stream, parsed as JSON. Throws `ProviderFailure` if a 200 holds an error. */
  reply(body: unknown, emit: Emit, call: ProviderCall): void
  /** Reads a reply with a status of 400 or above. */
  failure(status: number, headers: UpstreamHeaders, body: string): ProviderFailure
  /** Absent if the vendor makes no embeddings. */
  readonly embeddings?: EmbeddingDialect | undefined
  /** Absent if the vendor does not rerank. */
  readonly reranking?: RerankDialect | undefined
}

/**
 * A vendor's dialect for embeddings. `authorize` and `failure` are the adapter's. `reply` gets the body as parsed JSON, in which each long
 * list of numbers is a `{ json }` with its text, so that no reply blocks the event loop.
 */
export interface EmbeddingDialect extends Omit<Embedder, 'embed'> {
  /** As `ProviderAdapter.prepare`. */
  prepare(call: EmbeddingCall): UpstreamRequest
  /** Reads a reply that is no error by its status. Throws `ProviderFailure` if it holds one. */
  reply(body: unknown, call: EmbeddingCall, headers: UpstreamHeaders): EmbeddingReply
}

/** A vendor's dialect for rerankings. `authorize` and `failure` are the adapter's. */
export interface RerankDialect extends Omit<Reranker, 'rerank'> {
  /** Builds the vendor's request, as `ProviderAdapter.prepare` does. */
  prepare(call: RerankCall): UpstreamRequest
  /** Reads a whole reply, parsed as JSON. Throws `ProviderFailure` if a 200 holds an error. */
  reply(body: unknown, call: RerankCall, headers: UpstreamHeaders): RerankReply
}

/** Reads one streamed reply. Core calls `frame` in order, then `end`. */
export interface Decoder {
  /**
   * Called for each frame, with its event name if the framing has one. Throws `ProviderFailure` for an error inside the stream; events
   * emitted before it still count. Core stops reading after `finish` and `usage`; after `finish` alone it waits one second for the usage.
   */
  frame(data: string, event: string | undefined, emit: Emit): void
  /**
   * True once the answer is complete, such as when the stop reason and the usage are known, although the vendor may still add to it.
   * Core reads it after each chunk. From then on the body has one second to end; then core closes it and calls `end`.
   */
  readonly isComplete?: boolean
  /** Called when the body ends. Emits everything that is still held back. Without a `finish` by then, the reply counts as truncated. */
  end?(emit: Emit): void
}

/** Splits bytes into frames. Chunks may have any length. */
export interface Framer {
  /** Calls `push` for each frame that is complete, and keeps the rest for the next chunk. */
  feed(chunk: Uint8Array, push: (data: string, event?: string) => void): void
  /** Called when the body ends. */
  end?(push: (data: string, event?: string) => void): void
}
