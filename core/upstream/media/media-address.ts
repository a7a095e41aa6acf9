import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Hosts that may lie in a private network, as `settings.mediaHosts` names them. */
export type AllowedHosts = ReadonlySet<string>

export function allowedHosts(names: readonly string[]): AllowedHosts {
  return new Set(names.map(name => name.toLowerCase()))
}

/** Far longer than signed addresses are. */
const longestAddress = 8_192
/** Addresses of objects in a cloud's storage, which its own models read. */
const storageProtocols: ReadonlySet<string> = new Set(['gs:', 's3:'])

/**
 * What keeps an address from being one that a vendor could fetch, to stand behind the field's name; undefined when nothing does.
 * No name is resolved here: whoever connects checks again what a name leads to.
 */
export function addressProblem(address: string, allowed: AllowedHosts): string | undefined {
  if (address.length > longestAddress) return `is longer than ${longestAddress} characters`
  const url = URL.parse(address)
  if (!url) return 'is not a URL'
  if (storageProtocols.has(url.protocol)) return undefined
  return webAddressProblem(url, allowed)
}

/** The same for what the gateway fetches by itself. */
export function webAddressProblem(url: URL, allowed: AllowedHosts): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http: or https: URL, or a data: URL'
  if (url.username || url.password) return 'must not hold a user name or password'
  return isAllowed(url, allowed) ? undefined : hostProblem(url.hostname)
}

export function isAllowed({ hostname, host }: URL, allowed: AllowedHosts): boolean {
  return allowed.has(hostname) || allowed.has(host)
}

/** The URL parser has turned other spellings of an IPv4 address, such as `0x7f000001`, into the usual one. */
function hostProblem(hostname: string): string | undefined {
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal)) return isPublicAddress(literal) ? undefined : 'names an address outside the public internet'
  const name = hostname.replace(/\.+$/, '')
  return name.includes('.') && !privateNames.test(name) ? undefined : 'names a host outside the public internet'
}

// RFC 6761, RFC 6762 (appendix G), RFC 8375, and ICANN's `internal`.
const privateNames = /\.(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/
