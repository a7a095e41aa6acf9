import { PluginError } from '../../../core/index.ts'
import type { ServerRules } from './server.ts'

/** An entry of the option `origins`. */
export interface OriginRules extends ServerRules {
  readonly origin: string
  /** A Responses upstream may call the server itself. */
  readonly passThrough: boolean
}

/** An address that a caller may name. */
export interface AllowedAddress {
  readonly url: URL
  readonly rules: OriginRules
  /** The entry is a pattern, so nobody has looked at the host itself: its address must be public. */
  readonly publicOnly: boolean
}

interface Pattern {
  readonly rules: OriginRules
  /** Of the hosts: `.example.com`. */
  readonly ending: string
  readonly protocol: string
  readonly port: string
}

/** The origins of servers that callers may name: `https://mcp.example.com`, or `https://*.example.com` for all hosts below one. */
export class Origins {
  readonly #exact = new Map<string, OriginRules>()
  readonly #patterns: Pattern[] = []

  constructor(entries: readonly OriginRules[], plugin: string) {
    for (const rules of entries) {
      const { origin } = rules
      const url = URL.parse(origin.replace('://*.', '://any.'))
      const isPattern = origin.includes('://*.')
      if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username || url.password)
        throw new PluginError(plugin, `lists the origin "${origin}": expected a scheme and a host, such as https://mcp.example.com`)
      if (url.hostname.includes('*'))
        throw new PluginError(
          plugin,
          `lists the origin "${origin}": expected * only as the first part of the host, such as https://*.example.com`,
        )
      const { protocol, port } = url
      if (isPattern) this.#patterns.push({ rules, ending: url.hostname.slice('any'.length), protocol, port })
      else if (this.#exact.has(url.origin)) throw new PluginError(plugin, `lists the origin "${origin}" twice`)
      else this.#exact.set(url.origin, rules)
    }
  }

  /** Undefined if the config does not list its origin. */
  find(address: string): AllowedAddress | undefined {
    const url = URL.parse(address)
    if (!url || url.username || url.password) return undefined
    url.hash = ''
    const exact = this.#exact.get(url.origin)
    if (exact) return { url, rules: exact, publicOnly: false }
    const { hostname, protocol, port } = url
    const listed = this.#patterns.find(each => each.protocol === protocol && each.port === port && hostname.endsWith(each.ending))
    return listed && { url, rules: listed.rules, publicOnly: true }
  }
}
