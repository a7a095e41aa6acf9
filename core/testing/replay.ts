import type { HttpClient } from '../contracts/http-client.ts'
import { Readable } from 'node:stream'
import type { ProviderAdapter, UpstreamHeaders, UpstreamRequest } from '../contracts/adapter.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { ProviderCall } from '../contracts/provider.ts'
import { httpProvider } from '../provider-kit/http-provider.ts'

/** A vendor's reply. Its body arrives in these pieces. */
export interface ReplayedReply {
  /** Default: 200. */
  readonly status?: number
  /** By name in lower case. Default: none. */
  readonly headers?: UpstreamHeaders
  /** `inPieces` splits bytes. */
  readonly pieces: readonly Uint8Array[]
  /** The vendor never ends the body. */
  readonly staysOpen?: boolean
}

/** The result of a reply: every event it yielded, and the error it threw. */
export interface Replayed {
  /** The one that the adapter made. Undefined if it threw before. */
  readonly request: UpstreamRequest | undefined
  /** In their order, up to the failure. */
  readonly events: readonly GenerationEvent[]
  /** Undefined if the reply was complete. */
  readonly failure: unknown
}

/** Runs one call through core's own path from bytes to events, without a socket. */
export async function replay(adapter: ProviderAdapter, call: ProviderCall, reply: ReplayedReply): Promise<Replayed> {
  let request: UpstreamRequest | undefined
  const http: HttpClient = {
    async send(sent) {
      request = sent
      return { status: reply.status ?? 200, headers: reply.headers ?? {}, body: bodyOf(reply) }
    },
    media: () => Promise.reject(new Error('a replay cannot fetch media')),
    async close() {},
  }
  const events: GenerationEvent[] = []
  try {
    for await (const event of httpProvider(call.endpoint.provider, adapter, http).generate(call)) events.push(...[event].flat())
    return { request, events, failure: undefined }
  } catch (failure) {
    return { request, events, failure }
  }
}

function bodyOf({ pieces, staysOpen }: ReplayedReply): Readable {
  if (!staysOpen) return Readable.from(pieces, { objectMode: false })
  const iterator = pieces.values()
  const endless: AsyncIterator<Uint8Array> = {
    next() {
      const next = iterator.next()
      return next.done ? new Promise(() => {}) : Promise.resolve(next)
    },
    return: () => Promise.resolve({ done: true, value: undefined }),
  }
  return Readable.from({ [Symbol.asyncIterator]: () => endless }, { objectMode: false })
}

/** Splits bytes into pieces of one length. The last may be shorter. */
export function inPieces(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) => bytes.subarray(index * length, (index + 1) * length))
}
