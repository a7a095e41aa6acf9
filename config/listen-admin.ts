import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { isIP, type AddressInfo } from 'node:net'
import type { GatewayAdmin } from '../core/gateway.ts'
import { limitConnections } from './connection-limits.ts'
import { ConfigError } from './errors.ts'
import { adminFailure } from './listen-failure.ts'
import type { ServerOptions } from './schema.ts'

export interface AdminAddress {
  readonly host: string
  readonly port: number
}

export interface AdminListener {
  readonly url: string
  /** Takes no more connections. Requests finish. */
  handOver(): void
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

/** Serves the admin API, with the certificate of the public API if there is one. `socket`: one that has the address already. */
export async function listenAdmin(
  gatewayAdmin: GatewayAdmin,
  { host, port }: AdminAddress,
  { admin, tls }: Pick<ServerOptions, 'admin' | 'tls'>,
  socket?: object,
): Promise<AdminListener> {
  const { hosts = [], trustedProxies = [] } = admin || {}
  const listener = gatewayAdmin.listener({ hosts: isEverywhere(host) ? hosts : [...hosts, host], trustedProxies })
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key), passphrase: tls.passphrase }, listener)
    : createServer(listener)
  limitConnections(server)
  await listening(server, { host, port }, socket)
  const { port: taken } = server.address() as AddressInfo
  return {
    url: adminUrl({ host, port: taken }, tls),
    handOver: () => void server.close(),
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

async function listening(server: Server, { host, port }: AdminAddress, socket: object | undefined): Promise<void> {
  try {
    await once(socket ? server.listen(socket) : server.listen(port, host), 'listening')
  } catch (error) {
    throw adminFailure(host, port, error)
  }
}
