import { BlockList, isIP } from 'node:net'
import { AssemblyError } from '../foundation/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Chooses a proxy by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. Lower-case names win, as in curl. */
export class Proxies {
  readonly #http: string | undefined
  readonly #https: string | undefined
  readonly #direct: readonly DirectHost[]

  /** The proxies that the environment sets, if any. Throws `AssemblyError` if one is not a URL. */
  static of(environment: Environment): Proxies | undefined {
    const http = proxyIn(environment, 'http_proxy')
    const https = proxyIn(environment, 'https_proxy')
    if (http === undefined && https === undefined) return undefined
    return new Proxies(http, https, valueIn(environment, 'no_proxy') ?? '')
  }

  private constructor(http: string | undefined, https: string | undefined, noProxy: string) {
    this.#http = http
    this.#https = https
    this.#direct = noProxy
      .split(/[\s,]+/)
      .filter(entry => entry !== '')
      .map(directHost)
  }

  /** The proxy for a URL. Undefined for a direct connection, as always for this machine's own addresses. */
  for({ protocol, hostname, port }: URL): string | undefined {
    const proxy = protocol === 'https:' ? this.#https : this.#http
    if (proxy === undefined) return undefined
    const host = withoutDot(hostname.replace(/^\[|\]$/g, '').toLowerCase())
    const portNumber = Number(port) || (protocol === 'https:' ? 443 : 80)
    const isDirect = isLoopback(host) || this.#direct.some(entry => entry.holds(host) && (entry.port ?? portNumber) === portNumber)
    return isDirect ? undefined : proxy
  }
}

function proxyIn(environment: Environment, name: string): string | undefined {
  const value = valueIn(environment, name)
  if (value === undefined) return undefined
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  // The message leaves out the value, which may hold a password.
  throw new AssemblyError(
    `The environment variable ${name.toUpperCase()} must be an http: or https: URL, such as http://proxy.example.com:3128.`,
  )
}

function valueIn(environment: Environment, name: string): string | undefined {
  return environment[name]?.trim() || environment[name.toUpperCase()]?.trim() || undefined
}

/** An entry of `NO_PROXY`. */
interface DirectHost {
  readonly port: number | undefined
  holds(host: string): boolean
}

/** `*`, a host with its subdomains, `*.host` for subdomains alone, an address, or a network (`10.0.0.0/8`). All may have a port. */
function directHost(entry: string): DirectHost {
  const [, name = '', digits] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [undefined, entry]
  const port = digits === undefined ? undefined : Number(digits)
  const bare = name.replace(/^\[|\]$/g, '').toLowerCase()
  const [address = '', prefix] = bare.split('/')
  const family = isIP(address)
  if (bare === '*') return { port, holds: () => true }
  if (family !== 0) {
    const network = new BlockList()
    const width = family === 4 ? 32 : 128
    const bits = prefix === undefined ? width : Number(prefix)
    if (Number.isInteger(bits) && bits >= 0 && bits <= width) network.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
    return { port, holds: host => isIP(host) === family && network.check(host, family === 4 ? 'ipv4' : 'ipv6') }
  }
  const suffix = `.${withoutDot(bare.replace(/^\*?\./, ''))}`
  const holdsApex = !bare.startsWith('*')
  return { port, holds: host => host.endsWith(suffix) || (holdsApex && host === suffix.slice(1)) }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function withoutDot(host: string): string {
  return host.replace(/(.)\.$/, '$1')
}
