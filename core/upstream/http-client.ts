import type {
  GatheredMedia,
  HttpClient,
  ReplyReceiver,
  SendOptions,
  Transfer,
  UpstreamReply,
  WantedMedia,
} from '../contracts/http-client.ts'
import type { Dispatcher } from 'undici'
import type { UpstreamHeaders, UpstreamRequest } from '../contracts/adapter.ts'
import { defaultSettings } from '../framework/settings.ts'
import { directAgent, proxiedAgent, request } from './agent.ts'
import { decompressed } from './content-encoding.ts'
import { exactBytes } from './exact-bytes.ts'
import { bodyBytes } from './exact-reads.ts'
import { MediaFetcher, type MediaFetcherOptions } from './media/media-fetcher.ts'
import { MediaGathering, type MediaLimits } from './media/media-gathering.ts'
import { networkFailure } from './network-failure.ts'
import type { Proxies } from './proxies.ts'
import { PublicConnections } from './public-connections.ts'
import { UndiciTransfer } from './undici-transfer.ts'

export interface HttpClientOptions {
  readonly media?: Pick<MediaFetcherOptions, 'allowedHosts'>
  readonly limits?: MediaLimits
  /** For providers without their own. */
  readonly connectTimeoutMs?: number
  /** Absent for direct connections. */
  readonly proxies?: Proxies | undefined
}

interface Location {
  readonly origin: string
  readonly path: string
  readonly proxy: string | undefined
}

/** The most replies with a status below 200 that a stranger may send before the one that counts: they could go on at the speed of the network. */
const maxInformational = 20

function fewInformational(): () => void {
  let count = 0
  return () => {
    if (++count > maxInformational) throw new Error('too many informational replies')
  }
}

/** Uses `undici.request`, because `fetch` takes two to four times the CPU per call. The attempt handles all timeouts but the connect timeout. */
export class UndiciClient implements HttpClient {
  /** By proxy (undefined: direct), then by connect timeout. */
  readonly #agents = new Map<string | undefined, Map<number, Dispatcher>>()
  readonly #locations = new Map<string, Location>()
  readonly #media: MediaFetcher
  readonly #gathering: MediaGathering
  readonly #proxies: Proxies | undefined
  readonly #connectTimeoutMs: number
  #public: PublicConnections | undefined

  constructor({
    media = { allowedHosts: [] },
    limits = defaultSettings,
    connectTimeoutMs = defaultSettings.timeouts.connectMs,
    proxies,
  }: HttpClientOptions = {}) {
    this.#connectTimeoutMs = connectTimeoutMs
    this.#proxies = proxies
    this.#media = new MediaFetcher({ ...media, proxies })
    this.#gathering = new MediaGathering(this.#media, limits)
  }

  async send(
    { method, url, query, headers, body }: UpstreamRequest,
    { signal, connectTimeoutMs = this.#connectTimeoutMs, publicOnly = false }: SendOptions,
  ): Promise<UpstreamReply> {
    const { origin, path, proxy } = this.#locate(url, query)
    try {
      const way = publicOnly ? await this.#publicly().to(new URL(url), signal) : { agent: this.#agent(proxy, connectTimeoutMs), origin }
      const reply = await request(way.agent, {
        origin: way.origin,
        path,
        method,
        headers: publicOnly ? { ...headers, host: new URL(url).host } : headers,
        body: body === undefined ? null : exactBytes(body),
        signal,
        highWaterMark: bodyBytes,
        ...(publicOnly && { onInfo: fewInformational() }),
      })
      const replied = reply.headers as UpstreamHeaders
      return { status: reply.statusCode, headers: replied, body: decompressed(reply.body, replied['content-encoding']) }
    } catch (error) {
      throw networkFailure(error, signal)
    }
  }

  exchange(
    { method, url, query, headers, body }: UpstreamRequest,
    receiver: ReplyReceiver,
    connectTimeoutMs = this.#connectTimeoutMs,
  ): Transfer {
    const { origin, path, proxy } = this.#locate(url, query)
    const transfer = new UndiciTransfer(receiver)
    this.#agent(proxy, connectTimeoutMs).dispatch({ origin, path, method, headers, body: body ?? null }, transfer)
    return transfer
  }

  media(wanted: readonly WantedMedia[], signal: AbortSignal): Promise<GatheredMedia> {
    return this.#gathering.gather(wanted, signal)
  }

  async close(): Promise<void> {
    const agents = Array.from(this.#agents.values(), each => [...each.values()]).flat()
    await Promise.all([this.#media.close(), this.#public?.close(), ...agents.map(agent => agent.destroy())])
  }

  #publicly(): PublicConnections {
    return (this.#public ??= new PublicConnections({ connectTimeoutMs: this.#connectTimeoutMs, proxies: this.#proxies }))
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

  #locate(url: string, query?: string): Location {
    if (query === undefined) return this.#known(url)
    const located = this.#known(url)
    return { ...located, path: `${located.path}${located.path.includes('?') ? '&' : '?'}${query}` }
  }

  #known(url: string): Location {
    const known = this.#locations.get(url)
    if (known) return known
    const parsed = new URL(url)
    const located = { origin: parsed.origin, path: parsed.pathname + parsed.search, proxy: this.#proxies?.for(parsed) }
    // Few addresses name a model or a deployment. Addresses with a unique part must not pile up.
    if (this.#locations.size >= 1000) this.#locations.clear()
    this.#locations.set(url, located)
    return located
  }
}
