import type { Capabilities, Endpoint } from './catalog.ts'
import type { GenerationEvent } from './events.ts'
import type { Maybe } from '../foundation/json.ts'
import type { ProviderCall, ProviderFailure } from './provider.ts'
import type { TextFormat } from './request.ts'

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Lower-case names; repeated headers are joined by ", ". */
export type UpstreamHeaders = Readonly<Record<string, string | undefined>>

export type Emit = (event: GenerationEvent) => void

/** A vendor's dialect, without I/O: `httpProvider(id, adapter, gateway.http, options)` makes a provider of it. */
export interface ProviderAdapter {
  /** What every model can do in this dialect where the catalog does not say. */
  readonly capabilities?: Capabilities
  /** Whether a model can be held to this format, where that depends on model or schema; else it is told in words and its answer checked. */
  enforces?(format: TextFormat, endpoint: Endpoint): boolean
  /** How a streamed reply is cut into frames. */
  readonly framing: 'sse' | 'json-lines' | (() => Framer)
  /** `inline`: the vendor fetches nothing itself, so core puts what is named by URL into the request before `prepare`, as `data:` URLs. */
  readonly media?: { readonly images: 'url' | 'inline'; readonly files: 'url' | 'inline' }
  /** Pure: the request that this call becomes, without credentials. Throws `ProviderFailure` of kind `invalid-request` for what the dialect cannot say. */
  prepare(call: ProviderCall): UpstreamRequest
  /** Adds the credential: a header, a signature. */
  authorize?(request: UpstreamRequest, credentialId: string | undefined, signal: AbortSignal): Maybe<UpstreamRequest>
  /** State for one streamed reply. */
  decoder(call: ProviderCall): Decoder
  /** A reply that did not stream, parsed as JSON. Throws `ProviderFailure` where a 200 is none. */
  reply(body: unknown, emit: Emit, call: ProviderCall): void
  /** A reply of status 400 and above. */
  failure(status: number, headers: UpstreamHeaders, body: string): ProviderFailure
}

export interface Decoder {
  /**
   * One frame: its data, and its event name where the framing has one. Throws `ProviderFailure` for an error inside the stream; what was
   * emitted before still counts. After a `finish` and a `usage` core reads no further; after a `finish` alone it waits a second for the usage.
   */
  frame(data: string, event: string | undefined, emit: Emit): void
  /**
   * True once everything that makes an answer is here, such as a reason to stop and the usage, but the vendor may still say more about it.
   * Read after each chunk. From then on the body has one second to end; core then closes it and calls `end`.
   */
  readonly isComplete?: boolean
  /** The body ended. Emits what is still held back; without a `finish` by now the reply counts as cut short. */
  end?(emit: Emit): void
}

/** Cuts bytes into frames. Pieces may be of any length. */
export interface Framer {
  feed(chunk: Uint8Array, push: (data: string, event?: string) => void): void
  /** The body ended. */
  end?(push: (data: string, event?: string) => void): void
}
