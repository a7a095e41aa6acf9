import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer, isIP, type AddressInfo, type Server as NetServer } from 'node:net'
import type { GatewayAdmin } from '../core/gateway.ts'
import { Connections } from './connections.ts'
import { ConfigError } from './errors.ts'
import { passOn, serveNext, serverOf } from './gateway-server.ts'
import { adminFailure } from './listen-failure.ts'
import type { ServerOptions } from './schema.ts'

export interface AdminAddress {
  readonly host: string
  readonly port: number
}

export interface AdminListener {
  readonly url: string
  readonly connections: Connections
  /** Another gateway serves the requests that come from now on. */
  serve(gatewayAdmin: GatewayAdmin | undefined, options: Pick<ServerOptions, 'admin' | 'tls'>): void
  /** Takes no more connections, because another process does. Requests finish. */
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
      `The public API and the admin API cannot share port ${port}. Choose another one for either: --port or --admin-port, or server.port or server.admin.port in the config.`,
    ])
  return { host, port }
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** Serves the admin API, with the certificate of the public API if there is one. `socket`: one that has the address already. */
export async function listenAdmin(
  gatewayAdmin: GatewayAdmin | undefined,
  address: AdminAddress,
  options: Pick<ServerOptions, 'admin' | 'tls'>,
  socket?: object,
): Promise<AdminListener> {
  const { tls } = options
  const server = serverOf(listenerOf(gatewayAdmin, address, options), tls)
  const connections = new Connections(server)
  // The same options as `http` and `https` use.
  const door = createServer({ allowHalfOpen: !tls, noDelay: true })
  passOn(door, server)
  await listening(door, address, socket)
  const { port } = door.address() as AddressInfo
  return {
    url: adminUrl({ ...address, port }, tls),
    connections,
    serve: (next, options) => serveNext(server, listenerOf(next, address, options), options.tls),
    handOver() {
      door.close()
      server.close()
    },
    close() {
      door.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

function listenerOf(
  gatewayAdmin: GatewayAdmin | undefined,
  { host }: AdminAddress,
  { admin }: Pick<ServerOptions, 'admin'>,
): RequestListener {
  const { hosts = [], trustedProxies = [] } = admin || {}
  return gatewayAdmin?.listener({ hosts: isEverywhere(host) ? hosts : [...hosts, host], trustedProxies }) ?? nothing
}

/** The address stays taken when a reload removes the admin API. */
function nothing(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404).end()
}

/** The URL for clients on this machine. */
export function adminUrl({ host, port }: AdminAddress, tls: ServerOptions['tls']): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : isIP(host) === 6 ? `[${host}]` : host
  return `${tls ? 'https' : 'http'}://${name}:${port}`
}

async function listening(server: NetServer, { host, port }: AdminAddress, socket: object | undefined): Promise<void> {
  try {
    await once(socket ? server.listen(socket) : server.listen(port, host), 'listening')
  } catch (error) {
    throw adminFailure(host, port, error)
  }
}
