import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { isIP, type AddressInfo } from 'node:net'
import type { GatewayAdmin } from '../core/gateway.ts'
import { limitConnections } from './connection-limits.ts'
import { ConfigError } from './errors.ts'
import type { ServerOptions } from './schema.ts'

export interface AdminAddress {
  readonly host: string
  readonly port: number
}

export interface AdminListener {
  readonly url: string
  /** Ends all connections at once. */
  close(): void
}

const defaultHost = '127.0.0.1'
const defaultPort = 8081

/**
 * The address of the admin API, if it listens. Without a port, it takes any free one if the public API does. Throws a `ConfigError` if the
 * public API listens there.
 */
export function adminAddress({ admin, host: publicHost, port: publicPort }: ServerOptions): AdminAddress | undefined {
  if (admin === false) return undefined
  const host = admin?.host ?? defaultHost
  const port = admin?.port ?? (publicPort === 0 ? 0 : defaultPort)
  if (port === publicPort && port !== 0 && (host === publicHost || isEverywhere(host) || isEverywhere(publicHost)))
    throw new ConfigError(undefined, [
      `The public API and the admin API cannot share port ${port}. Choose another one for either: server.port or server.admin.port.`,
    ])
  return { host, port }
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** Serves the admin API, with the certificate of the public API if there is one. */
export async function listenAdmin(
  gatewayAdmin: GatewayAdmin,
  { host, port }: AdminAddress,
  { admin, tls }: Pick<ServerOptions, 'admin' | 'tls'>,
): Promise<AdminListener> {
  const { hosts = [], trustedProxies = [] } = admin || {}
  const listener = gatewayAdmin.listener({ hosts: isEverywhere(host) ? hosts : [...hosts, host], trustedProxies })
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key), passphrase: tls.passphrase }, listener)
    : createServer(listener)
  limitConnections(server)
  await listening(server, { host, port })
  const { port: taken } = server.address() as AddressInfo
  return {
    url: adminUrl({ host, port: taken }, tls),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The URL for clients on this machine. */
export function adminUrl({ host, port }: AdminAddress, tls: ServerOptions['tls']): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : isIP(host) === 6 ? `[${host}]` : host
  return `${tls ? 'https' : 'http'}://${name}:${port}`
}

async function listening(server: Server, { host, port }: AdminAddress): Promise<void> {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    throw new ConfigError(undefined, [`Cannot listen on ${host}:${port} for the admin API: ${reasonOf(error as NodeJS.ErrnoException)}`])
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'the port is in use, perhaps by another gateway. Choose another port with server.admin.port, or turn the admin API off with server.admin: false.'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine does not have that address. Set server.admin.host to one that it has, such as 127.0.0.1.'
    case 'EACCES':
      return 'this user may not use the port. Set server.admin.port to a port above 1023.'
    default:
      return message
  }
}
