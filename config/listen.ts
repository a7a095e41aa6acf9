import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { isIP, type AddressInfo, type Server as NetServer } from 'node:net'
import { setDefaultHighWaterMark } from 'node:stream'
import { listen as listhen } from 'listhen'
import type { Gateway } from '../core/gateway.ts'
import { acceptors } from './acceptors.ts'
import { limitConnections } from './connection-limits.ts'
import { Connections } from './connections.ts'
import { ConfigError } from './errors.ts'
import { serveNext } from './gateway-server.ts'
import { publicFailure } from './listen-failure.ts'
import { refuseReservedPort } from './reserved-port.ts'
import type { ServerOptions } from './schema.ts'
import { checkTls } from './tls.ts'

export interface Listener {
  readonly server: Server
  /** The servers that accept connections. */
  readonly acceptors: readonly NetServer[]
  readonly connections: Connections
  readonly host: string
  readonly port: number
  /** The address for clients on this machine. */
  readonly url: string
  /** True if it listens on all interfaces of the machine. */
  readonly everywhere: boolean
}

// The number of bytes to buffer in a connection for a client that does not read. The default of Node.js is 64 KiB.
const streamBytes = 16 * 1024

export async function listen(gateway: Gateway, { host, port, tls }: Pick<ServerOptions, 'host' | 'port' | 'tls'>): Promise<Listener> {
  if (tls) checkTls(tls)
  refuseReservedPort(port)
  limitBuffers()
  let server: Server
  try {
    const listener = await listhen(gateway.http.listener, {
      // Without `random`, listhen replaces port 0 with its default port.
      port: port === 0 ? { port, random: true } : port,
      hostname: host,
      public: !isLoopback(host),
      showURL: false,
      autoClose: false,
      // Otherwise listhen would pick another port if this one is taken.
      isProd: true,
      ...(tls && { https: tls }),
    })
    server = listener.server as Server
  } catch (error) {
    throw await explain(host, port, error)
  }
  const address = server.address() as AddressInfo
  limitConnections(server)
  gateway.connections.serveOn(server)
  const connections = new Connections(server)
  let accepting: readonly NetServer[]
  try {
    accepting = await acceptors(server)
  } catch (error) {
    throw await explain(host, port, error)
  }
  return { server, acceptors: accepting, connections, ...placeOf(host, address.port, tls !== undefined) }
}

/** Has another gateway serve the requests that come from now on, also on open connections. */
export function listenNext({ server, connections }: Listener, gateway: Gateway, tls: ServerOptions['tls']): void {
  serveNext(server, gateway.http.listener, tls)
  server.removeAllListeners('upgrade')
  gateway.connections.serveOn(server)
  connections.leaveUpgrades()
}

/** Where the public API listens, for people. */
export function placeOf(host: string, port: number, isHttps: boolean): Pick<Listener, 'host' | 'port' | 'url' | 'everywhere'> {
  return { host, port, url: `${isHttps ? 'https' : 'http'}://${reachable(host)}:${port}`, everywhere: host === '0.0.0.0' || host === '::' }
}

/** This changes the default of all streams in the process, because an HTTPS server has no such option for its connections. */
export function limitBuffers(): void {
  setDefaultHighWaterMark(false, streamBytes)
}

/** Tries to listen without listhen, which hides the reason of a failure. */
async function explain(host: string, port: number, failure: unknown): Promise<ConfigError> {
  const probe = createServer()
  try {
    await once(probe.listen(port, host), 'listening')
    return new ConfigError(undefined, [`Cannot listen on ${host}:${port}: ${(failure as Error).message}`])
  } catch (error) {
    return publicFailure(host, port, error)
  } finally {
    probe.close()
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIP(host) === 6 ? `[${host}]` : host
}
