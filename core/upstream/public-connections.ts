import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { directAgent, proxiedAgent } from './agent.ts'
import { isPublicAddress } from './media/public-address.ts'
import { privateAddress } from './private-address.ts'
import type { Proxies } from './proxies.ts'

export interface PublicConnectionsOptions {
  readonly connectTimeoutMs: number
  readonly proxies: Proxies | undefined
  /** Replaced in tests. */
  readonly lookup?: typeof systemLookup
}

/** How to reach an address. */
export interface Way {
  readonly agent: Dispatcher
  /** Of the connection. The request names the host in its `host` header. */
  readonly origin: string
}

/**
 * Connections to the public internet for addresses that callers name. Callers must not reach the gateway's own network this way: addresses
 * are checked after the name is resolved, in the same connect that uses them.
 */
export class PublicConnections {
  readonly #connectTimeoutMs: number
  readonly #proxies: Proxies | undefined
  readonly #lookup: LookupFunction
  readonly #checked: Dispatcher
  readonly #proxied = new Map<string, Dispatcher>()

  constructor({ connectTimeoutMs, proxies, lookup = systemLookup }: PublicConnectionsOptions) {
    this.#connectTimeoutMs = connectTimeoutMs
    this.#proxies = proxies
    this.#lookup = publicOnly(lookup)
    this.#checked = directAgent({ connectTimeoutMs, lookup: this.#lookup })
  }

  /**
   * A proxy would resolve names itself, later and in its own network. So the name is resolved and checked here, and the proxy opens a
   * tunnel to that address. The name goes into the TLS handshake and the `host` header.
   */
  async to(at: URL, signal: AbortSignal): Promise<Way> {
    const literal = at.hostname.replace(/^\[|\]$/g, '')
    // Nothing looks up an address.
    if (isIP(literal) && !isPublicAddress(literal)) throw privateAddress()
    const proxy = this.#proxies?.for(at)
    if (proxy === undefined) return { agent: this.#checked, origin: at.origin }
    const pinned = new URL(at)
    if (!isIP(literal)) pinned.hostname = await addressOf(literal, this.#lookup, signal)
    return { agent: this.through(proxy), origin: pinned.origin }
  }

  /** Tunnels through a proxy, without a check. */
  through(proxy: string): Dispatcher {
    let agent = this.#proxied.get(proxy)
    if (!agent) this.#proxied.set(proxy, (agent = proxiedAgent({ connectTimeoutMs: this.#connectTimeoutMs, proxy, tunnelAlways: true })))
    return agent
  }

  async close(): Promise<void> {
    await Promise.all([this.#checked, ...this.#proxied.values()].map(agent => agent.destroy()))
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

/** A DNS lookup that fails unless every address is public. The connection uses the checked address. */
function publicOnly(lookup: typeof systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0)
      if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) return callback(privateAddress(), '', 0)
      if (options.all) return callback(null, addresses)
      callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}
