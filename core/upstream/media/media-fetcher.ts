import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { directAgent, proxiedAgent, request } from '../agent.ts'
import type { Proxies } from '../proxies.ts'
import type { InlineData } from './data-url.ts'
import { MediaError } from './media-error.ts'
import { imageTypeOf } from './media-type.ts'
import { isPublicAddress } from './public-address.ts'

export type MediaKind = 'image' | 'file'

export interface MediaFetcherOptions {
  /** Hosts, such as `images.example.com` or `10.0.0.7:9000`, that may lie in a private network. */
  readonly allowedHosts: readonly string[]
  /** Replaced in tests. */
  readonly lookup?: typeof systemLookup
  readonly timeoutMs?: number
  readonly proxies?: Proxies | undefined
}

const maximumBytes: Record<MediaKind, number> = { image: 20 * 1024 * 1024, file: 32 * 1024 * 1024 }
const maximumRedirects = 3
const defaultTimeoutMs = 15_000
const connectTimeoutMs = 10_000

/**
 * Fetches what callers name by URL, for vendors that take it inline only. A caller must not reach the gateway's own network by it:
 * addresses are checked after the name was resolved and in the very connect that uses them, and every redirect is checked again.
 */
export class MediaFetcher {
  readonly #allowed: ReadonlySet<string>
  readonly #timeoutMs: number
  readonly #checked: Dispatcher
  readonly #unchecked = directAgent({ connectTimeoutMs })
  readonly #lookup: LookupFunction
  readonly #proxies: Proxies | undefined
  readonly #proxied = new Map<string, Dispatcher>()

  constructor({ allowedHosts, lookup = systemLookup, timeoutMs = defaultTimeoutMs, proxies }: MediaFetcherOptions) {
    this.#allowed = new Set(allowedHosts)
    this.#timeoutMs = timeoutMs
    this.#lookup = publicOnly(lookup)
    this.#checked = directAgent({ connectTimeoutMs, lookup: this.#lookup })
    this.#proxies = proxies
  }

  /** Throws `MediaError` for what cannot be had, and the signal's reason. */
  async fetch(url: string, kind: MediaKind, signal: AbortSignal): Promise<InlineData> {
    const deadline = new AbortController()
    const timer = setTimeout(
      () => deadline.abort(new MediaError(kind, 'download', `did not arrive within ${this.#timeoutMs / 1000} s`)),
      this.#timeoutMs,
    )
    const onAbort = (): void => deadline.abort(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await this.#follow(url, kind, deadline.signal)
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      if (error instanceof MediaError) throw error
      throw refusedAddress(error, kind) ?? new MediaError(kind, 'download', 'could not be downloaded: the connection failed', error)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#checked, this.#unchecked, ...this.#proxied.values()].map(agent => agent.destroy()))
  }

  async #follow(url: string, kind: MediaKind, signal: AbortSignal): Promise<InlineData> {
    let at = parse(url, kind)
    for (let redirects = 0; redirects <= maximumRedirects; redirects++) {
      const { agent, origin } = await this.#way(at, kind, signal)
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
        at = parse(URL.canParse(location, at.href) ? new URL(location, at).href : location, kind)
        continue
      }
      if (reply.statusCode !== 200) {
        discard(reply.body)
        const missing = reply.statusCode === 404 || reply.statusCode === 410
        throw new MediaError(kind, missing ? 'missing' : 'download', `could not be downloaded: its server answered ${reply.statusCode}`)
      }
      const bytes = await read(reply.body, Number(reply.headers['content-length'] ?? 0), kind)
      return { mediaType: typeOf(bytes, String(reply.headers['content-type'] ?? ''), kind), base64: bytes.toString('base64') }
    }
    throw new MediaError(kind, 'download', `could not be downloaded: there were more than ${maximumRedirects} redirects`)
  }

  /**
   * A proxy would look names up itself, later and in its own network. So the name is looked up and checked here, and the proxy is
   * asked for a tunnel to that address; the name goes into the TLS handshake and the `host` header.
   */
  async #way(at: URL, kind: MediaKind, signal: AbortSignal): Promise<{ readonly agent: Dispatcher; readonly origin: string }> {
    const proxy = this.#proxies?.for(at)
    if (this.#allowed.has(at.hostname) || this.#allowed.has(at.host))
      return { agent: proxy === undefined ? this.#unchecked : this.#through(proxy), origin: at.origin }
    const literal = at.hostname.replace(/^\[|\]$/g, '')
    // An address that stands in the URL is never looked up.
    if (isIP(literal) && !isPublicAddress(literal)) throw new MediaError(kind, 'address', 'names an address outside the public internet')
    if (proxy === undefined) return { agent: this.#checked, origin: at.origin }
    const pinned = new URL(at)
    if (!isIP(literal)) pinned.hostname = await addressOf(literal, this.#lookup, signal)
    return { agent: this.#through(proxy), origin: pinned.origin }
  }

  #through(proxy: string): Dispatcher {
    let agent = this.#proxied.get(proxy)
    if (!agent) this.#proxied.set(proxy, (agent = proxiedAgent({ connectTimeoutMs, proxy, tunnelAlways: true })))
    return agent
  }
}

/** IPv4 if there is one: whether the proxy has IPv6 is not known here. */
function addressOf(hostname: string, lookup: LookupFunction, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    lookup(hostname, { all: true }, (error, found) => {
      if (error) return reject(error)
      const addresses = found as LookupAddress[]
      const { address, family } = addresses.find(each => each.family === 4) ?? addresses[0]!
      resolve(family === 6 ? `[${address}]` : address)
    })
  })
}

const privateAddress = 'TURNPIKE_PRIVATE_ADDRESS'

/** A look-up that fails unless every address of the name is public: what is connected to is what was checked. */
function publicOnly(lookup: typeof systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0)
      if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(Object.assign(new Error('the name leads to a private address'), { code: privateAddress }), '', 0)
      if (options.all) return callback(null, addresses)
      callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}

function refusedAddress(error: unknown, kind: MediaKind): MediaError | undefined {
  if ((error as { code?: unknown }).code !== privateAddress) return undefined
  return new MediaError(kind, 'address', 'names a host outside the public internet', error)
}

function parse(url: string, kind: MediaKind): URL {
  if (!URL.canParse(url)) throw new MediaError(kind, 'address', 'is not a URL')
  const parsed = new URL(url)
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    throw new MediaError(kind, 'address', 'must be an http: or https: URL, or a data: URL')
  if (parsed.username || parsed.password) throw new MediaError(kind, 'address', 'must not hold a user name or password')
  return parsed
}

async function read(body: Readable, announced: number, kind: MediaKind): Promise<Buffer> {
  const limit = maximumBytes[kind]
  const chunks: Buffer[] = []
  let bytes = 0
  if (announced <= limit)
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes > limit) break
    }
  if (announced > limit || bytes > limit) {
    discard(body)
    throw new MediaError(kind, 'size', `is larger than ${limit / 1024 / 1024} MiB`)
  }
  if (bytes === 0) throw new MediaError(kind, 'empty', 'is empty')
  return Buffer.concat(chunks)
}

function typeOf(bytes: Buffer, contentType: string, kind: MediaKind): string {
  const told = contentType.split(';', 1)[0]!.trim().toLowerCase()
  const seen = imageTypeOf(bytes)
  if (kind === 'file') return told && told !== 'application/octet-stream' ? told : (seen ?? pdf(bytes) ?? 'application/octet-stream')
  if (seen) return seen
  if (told.startsWith('image/')) return told
  throw new MediaError(kind, 'type', told ? `is no image but ${told}` : 'is no image')
}

function pdf(bytes: Buffer): string | undefined {
  return bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? 'application/pdf' : undefined
}

function discard(body: Readable): void {
  body.on('error', () => {})
  body.destroy()
}
