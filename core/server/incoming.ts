import type { CoalescedBody } from './stream-body.ts'
import type { Heartbeat } from './heartbeat.ts'

/** A request on its way in, from Node.js itself or as a web `Request`. Each way in has its own class, and the rest sees no difference. */
export interface Incoming {
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
}

export type HeaderReader = Pick<Headers, 'get'>
