import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Hosts that may be in a private network, from `settings.mediaHosts`. */
export type AllowedHosts = ReadonlySet<string>

export function allowedHosts(names: readonly string[]): AllowedHosts {
  return new Set(names.map(name => name.toLowerCase()))
}

/** Signed URLs are far shorter. */
const maxAddressLength = 8_192
/** Objects in a cloud's storage, which that cloud's models can read. */
const storageProtocols: ReadonlySet<string> = new Set(['gs:', 's3:'])

/**
 * The reason why a vendor cannot fetch an address, as a phrase that follows the field's name, if there is one. Does not resolve names: the
 * code that connects checks the resolved address again.
 */
export function addressProblem(address: string, allowed: AllowedHosts): string | undefined {
  if (address.length > maxAddressLength) return `is longer than ${maxAddressLength} characters`
  const url = URL.parse(address)
  if (!url) return 'is not a URL'
  if (storageProtocols.has(url.protocol)) return undefined
  return webAddressProblem(url, allowed)
}

/** The same for URLs that the gateway fetches itself. */
export function webAddressProblem(url: URL, allowed: AllowedHosts): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http: or https: URL, or a data: URL'
  if (url.username || url.password) return 'must not hold a user name or password'
  return isAllowed(url, allowed) ? undefined : hostProblem(url.hostname)
}

export function isAllowed({ hostname, host }: URL, allowed: AllowedHosts): boolean {
  return allowed.has(hostname) || allowed.has(host)
}

/** True if a host in a URL is on the public internet, as far as its name tells. */
export function isPublicHost(hostname: string): boolean {
  return hostProblem(hostname) === undefined
}

/** The URL parser has already normalized other spellings of an IPv4 address, such as `0x7f000001`. */
function hostProblem(hostname: string): string | undefined {
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal)) return isPublicAddress(literal) ? undefined : 'names an address outside the public internet'
  const name = hostname.replace(/\.+$/, '')
  return name.includes('.') && !privateNames.test(name) ? undefined : 'names a host outside the public internet'
}

// RFC 6761, RFC 6762 (appendix G), RFC 8375, and ICANN's `internal`.
const privateNames = /\.(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/
