import type { LookupFunction } from 'node:net'
import { Agent, buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici'
import { acceptingContinue } from './accepting-continue.ts'

export interface AgentOptions {
  readonly connectTimeoutMs: number
  /** Replaces the system's look-up of names. */
  readonly lookup?: LookupFunction
}

/**
 * HTTP/1.1 only. With HTTP/2 allowed, undici opens one connection to an origin and lets every request wait for its handshake:
 * one that stalls holds up all of them, and later one lost packet or reset does. By CPU neither wins:
 * 0.12 ms a whole reply against 0.17 ms by HTTP/2, 0.96 ms a stream of 200 events against 0.57 ms (TLS, 32 at once).
 *
 * Time-outs other than the connect are the caller's affair.
 */
const poolOptions = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 } as const

/** How much of a reply is held for whoever does not read it, at each of two places: the socket and the body. A read brings 64 KiB at most. */
export const readAheadBytes = 16 * 1024

const socketOptions = { allowH2: false, highWaterMark: readAheadBytes }

/** Keep-alive pools, a pool an origin. */
export function directAgent({ connectTimeoutMs, lookup }: AgentOptions): Dispatcher {
  return new Agent({
    ...poolOptions,
    connect: acceptingContinue(buildConnector({ ...socketOptions, timeout: connectTimeoutMs, ...(lookup && { lookup }) })),
  })
}

/** Rejects with the signal's reason at once: undici itself notices an abort only when the connection stands. */
export function request(agent: Dispatcher, options: RequestOptions): Promise<Dispatcher.ResponseData> {
  const { signal } = options
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const onAbort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort)
    agent.request(options, (error, reply) => {
      signal.removeEventListener('abort', onAbort)
      if (error) reject(error)
      else resolve(reply)
    })
  })
}

export type RequestOptions = Dispatcher.RequestOptions & { readonly signal: AbortSignal }

export interface ProxiedAgentOptions {
  readonly connectTimeoutMs: number
  /** Such as `http://proxy.example.com:3128`, with the credentials if it needs some. */
  readonly proxy: string
  /** For `http:` origins too, which proxies are usually asked for instead. */
  readonly tunnelAlways?: boolean
}

/** The same through a proxy. Each of the three steps has the connect time-out: reaching the proxy, its CONNECT, the handshake behind it. */
export function proxiedAgent({ connectTimeoutMs, proxy, tunnelAlways = false }: ProxiedAgentOptions): Dispatcher {
  return new ProxyAgent({
    ...poolOptions,
    uri: proxy,
    proxyTunnel: tunnelAlways,
    connectTimeout: connectTimeoutMs,
    // Connections to the proxy itself, for CONNECT.
    clientFactory: (origin, options) => new Pool(origin, { ...options, ...poolOptions, headersTimeout: connectTimeoutMs }),
    // Connections to origins, and for what is not tunnelled, to the proxy.
    factory: (origin, options) => {
      const { connect } = options as { readonly connect: Parameters<typeof acceptingContinue>[0] }
      return new Pool(origin, { ...poolOptions, connect: acceptingContinue(connect) })
    },
  })
}
