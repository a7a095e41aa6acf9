import type { Readable } from 'node:stream'
import type { UpstreamHeaders, UpstreamRequest } from './adapter.ts'

/** One request over keep-alive pools, a pool an origin. */
export interface HttpClient {
  /** Throws `ProviderFailure` of kind `network` or `timeout`; an abort throws the signal's reason. */
  send(request: UpstreamRequest, options: SendOptions): Promise<UpstreamReply>
  /** Fetches the images and files that one request names by URL: public addresses only, within limits. Throws `MediaError`. */
  media(wanted: readonly WantedMedia[], signal: AbortSignal): Promise<GatheredMedia>
  close(): Promise<void>
}

export interface SendOptions {
  readonly signal: AbortSignal
  readonly connectTimeoutMs?: number | undefined
}

export interface UpstreamReply {
  readonly status: number
  readonly headers: UpstreamHeaders
  /** To be read to its end, or destroyed. What it throws goes through `networkFailure`. */
  readonly body: Readable
}

export type MediaKind = 'image' | 'file'

export interface WantedMedia {
  readonly url: string
  readonly kind: MediaKind
}

/** What one request names by URL. It counts as held until it is released. */
export interface GatheredMedia {
  readonly contents: ReadonlyMap<string, MediaContent>
  release(): void
}

export interface MediaContent {
  readonly mediaType: string
  /** ASCII, in pieces. */
  readonly base64: readonly Uint8Array[]
  /** Before they were encoded. */
  readonly bytes: number
}
