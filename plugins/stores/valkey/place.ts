import { PluginError } from '../../../core/index.ts'

/** Where the server is, and as whom the gateway signs in. */
export interface Place {
  readonly kind: 'server' | 'sentinel' | 'cluster'
  /** The server itself; sentinels that know it; some nodes of the cluster. */
  readonly nodes: readonly Node[]
  readonly secure: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly database: number
  /** How sentinels call the server. */
  readonly master: string | undefined
  /** As whom the gateway signs in to sentinels. */
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
}

export interface Node {
  readonly host: string
  readonly port: number
}

export interface PlaceOptions {
  readonly url?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly sentinel?: { readonly master: string; readonly nodes: readonly string[] } | undefined
  readonly cluster?: readonly string[] | undefined
}

interface Address extends Node {
  readonly secure: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly database: number
}

export const addressPattern = '^(redis|valkey)s?://'

/** Throws a `PluginError` if the options name no server. */
export function placeOf(name: string, { url, username, password, sentinel, cluster }: PlaceOptions): Place {
  const given = [url && 'url', sentinel && 'sentinel', cluster && 'cluster'].filter(Boolean)
  if (given.length !== 1)
    throw new PluginError(
      name,
      given.length === 0
        ? 'needs to know where the server is. Set url (VALKEY_URL or REDIS_URL with defaults()), or sentinel, or cluster'
        : `can use one of ${given.join(' and ')}, not both. Remove one`,
    )
  const kind = sentinel ? 'sentinel' : cluster ? 'cluster' : 'server'
  const option = sentinel ? 'sentinel.nodes' : kind === 'cluster' ? 'cluster' : 'url'
  const addresses = (sentinel?.nodes ?? cluster ?? [url!]).map(each => addressOf(name, option, each, kind === 'sentinel' ? 26_379 : 6_379))
  const [first] = addresses as [Address, ...Address[]]
  if (addresses.some(({ secure }) => secure !== first.secure))
    throw new PluginError(name, `has addresses with TLS (rediss://) and without in ${option}. Use one of the two for all`)
  if (kind === 'cluster' && addresses.some(({ database }) => database > 0))
    throw new PluginError(name, 'cannot use a numbered database of a cluster. Remove the number at the end of the addresses in cluster')
  const isSentinel = kind === 'sentinel'
  return {
    kind,
    nodes: addresses.map(({ host, port }) => ({ host, port })),
    secure: first.secure,
    username: username ?? (isSentinel ? undefined : first.username),
    password: password ?? (isSentinel ? undefined : first.password),
    database: first.database,
    master: sentinel?.master,
    sentinelUsername: isSentinel ? first.username : undefined,
    sentinelPassword: isSentinel ? first.password : undefined,
  }
}

/** For messages: neither user nor password. */
export function titleOf({ kind, nodes, master }: Place): string {
  const list = nodes.map(({ host, port }) => `${host}:${port}`).join(', ')
  if (kind === 'sentinel') return `${master} of the sentinels ${list}`
  return kind === 'cluster' ? `the cluster ${list}` : list
}

function addressOf(name: string, option: string, text: string, usualPort: number): Address {
  const wrong = (expected: string): PluginError =>
    new PluginError(name, `needs ${expected} in ${option}, such as redis://user:password@valkey.example.com:${usualPort}`)
  const { protocol, hostname, port, username, password, pathname } = parsed(text) ?? {}
  if (!hostname) throw wrong('valid addresses, with special characters of user and password percent-encoded,')
  const database = pathname!.length > 1 ? Number(pathname!.slice(1)) : 0
  if (!Number.isInteger(database) || database < 0) throw wrong('the number of a database, or nothing, at the end of the address')
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port ? Number(port) : usualPort,
    secure: protocol!.startsWith('rediss') || protocol!.startsWith('valkeys'),
    username: username || undefined,
    password: password || undefined,
    database,
  }
}

function parsed(
  text: string,
): { protocol: string; hostname: string; port: string; username: string; password: string; pathname: string } | undefined {
  try {
    const { protocol, hostname, port, username, password, pathname } = new URL(text)
    return { protocol, hostname, port, username: decodeURIComponent(username), password: decodeURIComponent(password), pathname }
  } catch {
    return undefined
  }
}
