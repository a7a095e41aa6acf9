import type { Readable } from 'node:stream'
import { Agent } from 'undici'
import type { UpstreamHeaders, UpstreamRequest } from '../contracts/adapter.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { defaultSettings } from '../settings.ts'
import { decompressed } from './content-encoding.ts'
import { MediaFetcher, type MediaFetcherOptions } from './media/media-fetcher.ts'
import { MediaGathering, type GatheredMedia, type MediaLimits, type WantedMedia } from './media/media-gathering.ts'

export interface UpstreamReply {
  readonly status: number
  readonly headers: UpstreamHeaders
  /** To be read to its end, or destroyed. What it throws goes through `networkFailure`. */
  readonly body: Readable
}

export interface SendOptions {
  readonly signal: AbortSignal
  readonly connectTimeoutMs?: number | undefined
}

/** One request over keep-alive pools, a pool an origin. */
export interface HttpClient {
  /** Throws `ProviderFailure` of kind `network` or `timeout`; an abort throws the signal's reason. */
  send(request: UpstreamRequest, options: SendOptions): Promise<UpstreamReply>
  /** Fetches the images and files that one request names by URL: public addresses only, within limits. Throws `MediaError`. */
  media(wanted: readonly WantedMedia[], signal: AbortSignal): Promise<GatheredMedia>
  close(): Promise<void>
}

const defaultConnectTimeoutMs = 10_000

/** `undici.request`, since `fetch` costs two to four times the CPU a call. Time-outs other than the connect are the attempt's affair. */
export class UndiciClient implements HttpClient {
  readonly #agents = new Map<number, Agent>()
  readonly #origins = new Map<string, { readonly origin: string; readonly path: string }>()
  readonly #media: MediaFetcher
  readonly #gathering: MediaGathering

  constructor(media: MediaFetcherOptions = { allowedHosts: [] }, limits: MediaLimits = defaultSettings) {
    this.#media = new MediaFetcher(media)
    this.#gathering = new MediaGathering(this.#media, limits)
  }

  async send(request: UpstreamRequest, { signal, connectTimeoutMs = defaultConnectTimeoutMs }: SendOptions): Promise<UpstreamReply> {
    const { origin, path } = this.#locate(request.url)
    try {
      const reply = await this.#agent(connectTimeoutMs).request({
        origin,
        path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        signal,
      })
      const headers = reply.headers as UpstreamHeaders
      return { status: reply.statusCode, headers, body: decompressed(reply.body, headers['content-encoding']) }
    } catch (error) {
      throw networkFailure(error, signal)
    }
  }

  media(wanted: readonly WantedMedia[], signal: AbortSignal): Promise<GatheredMedia> {
    return this.#gathering.gather(wanted, signal)
  }

  async close(): Promise<void> {
    await Promise.all([this.#media.close(), ...Array.from(this.#agents.values(), agent => agent.destroy())])
  }

  #agent(connectTimeoutMs: number): Agent {
    let agent = this.#agents.get(connectTimeoutMs)
    if (!agent) {
      agent = new Agent({ connect: { timeout: connectTimeoutMs }, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 })
      this.#agents.set(connectTimeoutMs, agent)
    }
    return agent
  }

  #locate(url: string): { readonly origin: string; readonly path: string } {
    const known = this.#origins.get(url)
    if (known) return known
    const { origin, pathname, search } = new URL(url)
    const located = { origin, path: pathname + search }
    // Addresses that name a model or a deployment are few; one that carries something unique must not pile up.
    if (this.#origins.size >= 1000) this.#origins.clear()
    this.#origins.set(url, located)
    return located
  }
}

/** What a broken connection means: the abort's reason if there was one, else a failure of kind `network` or `timeout`. */
export function networkFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (ProviderFailure.is(error)) return error
  const code = (error as { code?: string }).code ?? (error as Error).name
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new ProviderFailure({
      kind: 'timeout',
      message: 'The provider did not accept a connection in time.',
      cause: error,
    })
  return new ProviderFailure({ kind: 'network', message: `The connection to the provider failed (${code}).`, cause: error })
}
