import type { GatheredMedia, HttpClient, SendOptions, UpstreamReply, WantedMedia } from '../contracts/http-client.ts'
import type { Dispatcher } from 'undici'
import type { UpstreamHeaders, UpstreamRequest } from '../contracts/adapter.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { defaultSettings } from '../framework/settings.ts'
import { directAgent, proxiedAgent, readAheadBytes, request } from './agent.ts'
import { decompressed } from './content-encoding.ts'
import { MediaFetcher, type MediaFetcherOptions } from './media/media-fetcher.ts'
import { MediaGathering, type MediaLimits } from './media/media-gathering.ts'
import type { Proxies } from './proxies.ts'

const encoder = new TextEncoder()
const defaultConnectTimeoutMs = 10_000

export interface HttpClientOptions {
  readonly media?: Pick<MediaFetcherOptions, 'allowedHosts'>
  readonly limits?: MediaLimits
  /** Undefined: connect directly. */
  readonly proxies?: Proxies | undefined
}

interface Location {
  readonly origin: string
  readonly path: string
  readonly proxy: string | undefined
}

/** Uses `undici.request`, because `fetch` takes two to four times the CPU per call. The attempt handles all timeouts but the connect timeout. */
export class UndiciClient implements HttpClient {
  /** By proxy (undefined: direct), then by connect timeout. */
  readonly #agents = new Map<string | undefined, Map<number, Dispatcher>>()
  readonly #locations = new Map<string, Location>()
  readonly #media: MediaFetcher
  readonly #gathering: MediaGathering
  readonly #proxies: Proxies | undefined

  constructor({ media = { allowedHosts: [] }, limits = defaultSettings, proxies }: HttpClientOptions = {}) {
    this.#proxies = proxies
    this.#media = new MediaFetcher({ ...media, proxies })
    this.#gathering = new MediaGathering(this.#media, limits)
  }

  async send(
    { method, url, headers, body }: UpstreamRequest,
    { signal, connectTimeoutMs = defaultConnectTimeoutMs }: SendOptions,
  ): Promise<UpstreamReply> {
    const { origin, path, proxy } = this.#locate(url)
    try {
      const reply = await request(this.#agent(proxy, connectTimeoutMs), {
        origin,
        path,
        method,
        headers,
        // Encoded here because it lives as long as the reply: undici would put a string into a shared pool and keep a whole block of it alive.
        body: typeof body === 'string' ? encoder.encode(body) : (body ?? null),
        signal,
        highWaterMark: readAheadBytes,
      })
      const replied = reply.headers as UpstreamHeaders
      return { status: reply.statusCode, headers: replied, body: decompressed(reply.body, replied['content-encoding']) }
    } catch (error) {
      throw networkFailure(error, signal)
    }
  }

  media(wanted: readonly WantedMedia[], signal: AbortSignal): Promise<GatheredMedia> {
    return this.#gathering.gather(wanted, signal)
  }

  async close(): Promise<void> {
    const agents = Array.from(this.#agents.values(), each => [...each.values()]).flat()
    await Promise.all([this.#media.close(), ...agents.map(agent => agent.destroy())])
  }

  #agent(proxy: string | undefined, connectTimeoutMs: number): Dispatcher {
    let agents = this.#agents.get(proxy)
    if (!agents) this.#agents.set(proxy, (agents = new Map()))
    let agent = agents.get(connectTimeoutMs)
    if (!agent) {
      agent = proxy === undefined ? directAgent({ connectTimeoutMs }) : proxiedAgent({ connectTimeoutMs, proxy })
      agents.set(connectTimeoutMs, agent)
    }
    return agent
  }

  #locate(url: string): Location {
    const known = this.#locations.get(url)
    if (known) return known
    const parsed = new URL(url)
    const located = { origin: parsed.origin, path: parsed.pathname + parsed.search, proxy: this.#proxies?.for(parsed) }
    // Few addresses name a model or a deployment. Ones with a unique part must not pile up.
    if (this.#locations.size >= 1000) this.#locations.clear()
    this.#locations.set(url, located)
    return located
  }
}

/** Explains a broken connection: the abort's reason if there is one, else a failure of kind `network` or `timeout`. */
export function networkFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (ProviderFailure.is(error)) return error
  const code = (error as { code?: string }).code ?? (error as Error).name
  // Only proxies have a timeout for headers, for their answer to CONNECT.
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT')
    return new ProviderFailure({
      kind: 'timeout',
      message: 'The provider did not accept a connection in time.',
      cause: error,
    })
  return new ProviderFailure({ kind: 'network', message: `The connection to the provider failed (${code}).`, cause: error })
}
