import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { GatewayError } from '../../foundation/errors.ts'

/** How browsers and programs reach the admin listener. */
export interface AdminReach {
  /** Host names and addresses under which it is reached, apart from `localhost` and the address of the connection. */
  readonly hosts: readonly string[]
  /** Addresses and networks, such as `10.0.0.0/8`, whose `x-forwarded-for` says where a request comes from. */
  readonly trustedProxies: readonly string[]
}

/**
 * Throws a 421 unless the request names a host under which the listener is known. A page of a foreign name that resolves to this machine
 * would be of the same origin otherwise, and could call the admin API. Forwarded headers are not asked: such a page can set them.
 */
export function checkHost({ headers, socket }: IncomingMessage, known: ReadonlySet<string>): void {
  const host = hostIn(headers.host)
  if (host !== undefined && (host === 'localhost' || known.has(host) || host === plainAddress(socket.localAddress))) return
  throw new GatewayError({
    status: 421,
    type: 'invalid_request_error',
    code: 'misdirected_request',
    message:
      `The Host header of this request names ${host === undefined ? 'no host' : `"${host}"`}, under which this listener of the admin API ` +
      'is not known. Use localhost or its address, or add the name to server.admin.hosts in the config.',
  })
}

/** In lower case, without the port and the brackets of IPv6. Undefined if there is no such host. */
function hostIn(header: string | undefined): string | undefined {
  const [, address, name, port = '0'] = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+))(?::(\d{1,5}))?$/i.exec(header ?? '') ?? []
  if (Number(port) > 65_535) return undefined
  return (address ?? name)?.toLowerCase()
}

/** IPv4 addresses in the form of IPv6 become what they are. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/** Where a request comes from, as far as proxies are trusted. */
export function sourceOf(connected: string | undefined, forwarded: string | null, trusted: BlockList): string | undefined {
  let source = plainAddress(connected)
  for (const next of (forwarded ?? '').split(',').toReversed()) {
    if (source === undefined || !isTrusted(source, trusted)) break
    const address = plainAddress(next.trim())
    if (address === undefined || isIP(address) === 0) break
    source = address
  }
  return source
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const version = isIP(address)
  return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

export function networks(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address, prefix] = text.split('/') as [string, string?]
    const version = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, version)
    else list.addSubnet(address, Number(prefix), version)
  }
  return list
}
