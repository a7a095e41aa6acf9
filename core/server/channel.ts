import type { Heartbeat } from './heartbeat.ts'
import type { CoalescedBody } from './stream-body.ts'

/**
 * One request and its reply, over a socket of Node.js or as web objects. Each has its own class, and the rest of the gateway sees no
 * difference.
 */
export interface Channel {
  readonly method: string
  /** Names in lower case. */
  readonly headers: HeaderReader
  readonly query: URLSearchParams
  /** The web `Request`, for routes that read it. Over a socket it is made when it is first read. */
  readonly request: Request
  /** The whole body, for one whose length was announced. Rejects with a 400 if the body ends before that. */
  text(): Promise<string>
  /** The body as it arrives. If the reader stops early, the rest is discarded, because the reply uses the same connection. */
  pieces(): AsyncIterable<Uint8Array>
  /** Calls `gone` once if the client disconnects before it has the whole reply. Called once. */
  watch(gone: () => void): void
  /** Creates a streamed body for the reply. */
  stream(heartbeat: Heartbeat): CoalescedBody
  /** `head`: names and values in turn. Both throw if a header is not valid; then another reply can be sent. */
  sendText(status: number, head: string[], text: string): void
  /** `body`: what `stream` made, or what the way itself knows how to send. */
  sendBody(status: number, head: string[], body: object): void
}

export type HeaderReader = Pick<Headers, 'get'>
