import type { Readable } from 'node:stream'
import type { UpstreamHeaders, UpstreamRequest } from './adapter.ts'

/** Sends upstream requests over keep-alive connections, with one pool per origin. */
export interface HttpClient {
  /** Throws `ProviderFailure` of kind `network` or `timeout`, or the signal's reason after an abort. */
  send(request: UpstreamRequest, options: SendOptions): Promise<UpstreamReply>
  /**
   * Does the same, but calls `receiver` with the reply as it arrives. It costs half as much as `send`, which makes a promise and a stream.
   * Optional for clients that a plugin or a test makes.
   */
  exchange?(request: UpstreamRequest, receiver: ReplyReceiver, connectTimeoutMs?: number): Transfer
  /** Downloads the images and files that a request references by URL, from public addresses only and within limits. Throws `MediaError`. */
  media(wanted: readonly WantedMedia[], signal: AbortSignal): Promise<GatheredMedia>
  /** Core calls it when the gateway stops. */
  close(): Promise<void>
}

/** Rules for one request to a vendor. */
export interface SendOptions {
  /** Closes the connection when it aborts; the caller gets its reason as the error. */
  readonly signal: AbortSignal
  /** Default: the setting `server.timeouts.connectMs`. */
  readonly connectTimeoutMs?: number | undefined
  /** For an address that a caller names: connects only to the public internet. The address is checked in the connect that uses it. */
  readonly publicOnly?: boolean
}

/** A vendor's reply, whose body may still be arriving. */
export interface UpstreamReply {
  /** Any HTTP status: 400 and above do not throw. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: UpstreamHeaders
  /** Read it to the end or destroy it. Pass its errors through `networkFailure`. */
  readonly body: Readable
}

/** Receives one reply: `head`, any number of `chunk`s, then `end`; or `fail` at any point. None of them may throw. */
export interface ReplyReceiver {
  /** Comes first, also for a status of 400 or above. */
  head(status: number, headers: UpstreamHeaders): void
  /** Decompressed. Valid while it is referenced. */
  chunk(bytes: Uint8Array): void
  /** The body is complete. Nothing follows. */
  end(): void
  /** Gets a `ProviderFailure` of kind `network` or `timeout`. */
  fail(error: unknown): void
}

/** An exchange under way. */
export interface Transfer {
  /** Stops reading from the vendor. At most one more chunk is delivered before `resume`. */
  pause(): void
  /** Reads on after `pause`. */
  resume(): void
  /** Closes the connection and delivers nothing more. Does nothing after the end. */
  stop(): void
}

/** `file` is anything that is not an image, such as a PDF. */
export type MediaKind = 'image' | 'file'

/** An image or a file to download. */
export interface WantedMedia {
  /** The http or https address. The key of `GatheredMedia.contents`. */
  readonly url: string
  /** For an image, only types of images are accepted. */
  readonly kind: MediaKind
}

/** Downloaded media. It counts against the memory limit until it is released. */
export interface GatheredMedia {
  /** By URL. */
  readonly contents: ReadonlyMap<string, MediaContent>
  /** Frees its memory. Call it when no attempt needs the media any more. */
  release(): void
}

/** One downloaded image or file. */
export interface MediaContent {
  /** Such as `image/png`. */
  readonly mediaType: string
  /** ASCII, in chunks. */
  readonly base64: readonly Uint8Array[]
  /** The size before encoding. */
  readonly bytes: number
}
