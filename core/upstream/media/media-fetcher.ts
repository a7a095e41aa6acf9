import type { MediaContent, MediaKind } from '../../contracts/http-client.ts'
import type { lookup as systemLookup } from 'node:dns'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { GatewayError } from '../../foundation/errors.ts'
import { directAgent, request } from '../agent.ts'
import type { Proxies } from '../proxies.ts'
import { discard } from '../discard.ts'
import { isPrivateAddress } from '../private-address.ts'
import { PublicConnections, type Way } from '../public-connections.ts'
import { Base64Pieces } from './base64-pieces.ts'
import type { MediaShare } from './held-media.ts'
import { allowedHosts, isAllowed, webAddressProblem, type AllowedHosts } from './media-address.ts'
import { MediaError } from './media-error.ts'
import { imageTypeOf } from './media-type.ts'
import { Pace } from './pace.ts'

export interface MediaFetcherOptions {
  /** Hosts that may be in a private network, such as `images.example.com` or `10.0.0.7:9000`. */
  readonly allowedHosts: readonly string[]
  /** Replaced in tests. */
  readonly lookup?: typeof systemLookup
  readonly timeoutMs?: number
  readonly proxies?: Proxies | undefined
}

const maxBytes: Record<MediaKind, number> = { image: 20 * 1024 * 1024, file: 32 * 1024 * 1024 }
/** Enough to detect a type. */
const typeBytes = 16
const maxRedirects = 3
const defaultTimeoutMs = 15_000
const connectTimeoutMs = 10_000

/**
 * Fetches media that callers name by URL, for vendors that accept only inline content. Callers must not reach the gateway's own network
 * this way: addresses are checked after the name is resolved, in the same connect that uses them, and again for every redirect.
 */
export class MediaFetcher {
  readonly #allowed: AllowedHosts
  readonly #timeoutMs: number
  readonly #pace = new Pace()
  readonly #public: PublicConnections
  readonly #unchecked: Dispatcher = directAgent({ connectTimeoutMs })
  readonly #proxies: Proxies | undefined

  constructor({ allowedHosts: names, lookup, timeoutMs = defaultTimeoutMs, proxies }: MediaFetcherOptions) {
    this.#allowed = allowedHosts(names)
    this.#timeoutMs = timeoutMs
    this.#public = new PublicConnections({ connectTimeoutMs, proxies, ...(lookup && { lookup }) })
    this.#proxies = proxies
  }

  /** Throws `MediaError` if the media cannot be fetched, whatever the share throws, and the signal's reason. */
  async fetch(url: string, kind: MediaKind, signal: AbortSignal, share: MediaShare): Promise<MediaContent> {
    const deadline = new AbortController()
    const late = (): void => deadline.abort(new MediaError(kind, 'download', `did not arrive within ${this.#timeoutMs / 1000} s`, { url }))
    let timer = setTimeout(late, this.#timeoutMs)
    const take: Take = async bytes => {
      await this.#pace.next(bytes)
      const wait = share.take(bytes, deadline.signal)
      if (!wait) return
      // Other requests cause this wait, not the server, so the timeout pauses.
      clearTimeout(timer)
      await wait
      timer = setTimeout(late, this.#timeoutMs)
    }
    const onAbort = (): void => deadline.abort(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await this.#follow({ url, kind, share, take, signal: deadline.signal })
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      if (error instanceof MediaError || error instanceof GatewayError) throw error
      const cause = error
      if (isPrivateAddress(error)) throw new MediaError(kind, 'address', 'names a host outside the public internet', { url, cause })
      throw new MediaError(kind, 'download', 'could not be downloaded: the connection failed', { url, cause })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#public.close(), this.#unchecked.destroy()])
  }

  async #follow(wanted: Download): Promise<MediaContent> {
    const { url, kind, signal } = wanted
    let at = this.#checkedAddress(url, wanted)
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const { agent, origin } = await this.#way(at, signal)
      const reply = await request(agent, {
        origin,
        path: at.pathname + at.search,
        method: 'GET',
        headers: { host: at.host, accept: kind === 'image' ? 'image/*' : '*/*', 'accept-encoding': 'identity' },
        signal,
      })
      const { location } = reply.headers
      if (reply.statusCode >= 300 && reply.statusCode < 400 && typeof location === 'string') {
        discard(reply.body)
        at = this.#checkedAddress(URL.parse(location, at.href)?.href ?? location, wanted)
        continue
      }
      if (reply.statusCode !== 200) {
        discard(reply.body)
        const missing = reply.statusCode === 404 || reply.statusCode === 410
        throw new MediaError(
          kind,
          missing ? 'missing' : 'download',
          `could not be downloaded: its server returned status ${reply.statusCode}`,
          {
            url,
          },
        )
      }
      try {
        return await read(reply.body, Number(reply.headers['content-length'] ?? 0), String(reply.headers['content-type'] ?? ''), wanted)
      } finally {
        discard(reply.body)
      }
    }
    throw new MediaError(kind, 'download', `could not be downloaded: more than ${maxRedirects} redirects`, { url })
  }

  #checkedAddress(address: string, { url, kind }: Download): URL {
    const parsed = URL.parse(address)
    const problem = parsed ? webAddressProblem(parsed, this.#allowed) : 'is not a URL'
    if (problem !== undefined) throw new MediaError(kind, 'address', problem, { url })
    return parsed!
  }

  async #way(at: URL, signal: AbortSignal): Promise<Way> {
    if (!isAllowed(at, this.#allowed)) return await this.#public.to(at, signal)
    const proxy = this.#proxies?.for(at)
    return { agent: proxy === undefined ? this.#unchecked : this.#public.through(proxy), origin: at.origin }
  }
}

type Take = (bytes: number) => Promise<void>

interface Download {
  /** The caller's URL. */
  readonly url: string
  readonly kind: MediaKind
  readonly share: MediaShare
  readonly take: Take
  readonly signal: AbortSignal
}

/** Refuses a body before reading it if its announced length is over the limit, else as soon as it passes the limit. */
async function read(body: Readable, announced: number, contentType: string, { url, kind, share, take }: Download): Promise<MediaContent> {
  const limit = maxBytes[kind]
  const encoded = new Base64Pieces()
  let head: Buffer | undefined
  let bytes = 0
  const check = (total: number, added: number): void => {
    if (total > limit) throw new MediaError(kind, 'size', `is larger than ${mebibytes(limit)}`, { url })
    if (share.bytes + added > share.maxBytes)
      throw new MediaError(kind, 'total', `makes the images and files of this request larger than ${mebibytes(share.maxBytes)} together`, {
        url,
      })
  }
  check(announced, announced)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    check(bytes, chunk.byteLength)
    await take(chunk.byteLength)
    head = !head || head.length < typeBytes ? Buffer.concat([head ?? Buffer.alloc(0), chunk.subarray(0, typeBytes)]) : head
    encoded.add(chunk)
  }
  if (!head) throw new MediaError(kind, 'empty', 'is empty', { url })
  encoded.end()
  return { mediaType: typeOf(head, contentType, kind, url), base64: encoded.pieces, bytes }
}

function mebibytes(bytes: number): string {
  return `${Math.floor((bytes / 1024 / 1024) * 100) / 100} MiB`
}

function typeOf(bytes: Buffer, contentType: string, kind: MediaKind, url: string): string {
  const told = contentType.split(';', 1)[0]!.trim().toLowerCase()
  const seen = imageTypeOf(bytes)
  if (kind === 'file') return told && told !== 'application/octet-stream' ? told : (seen ?? pdf(bytes) ?? 'application/octet-stream')
  if (seen) return seen
  if (told.startsWith('image/')) return told
  throw new MediaError(kind, 'type', told ? `is not an image but ${told}` : 'is not an image', { url })
}

function pdf(bytes: Buffer): string | undefined {
  return bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? 'application/pdf' : undefined
}
