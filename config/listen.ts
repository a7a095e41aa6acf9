import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { isIP, type AddressInfo } from 'node:net'
import { toNodeHandler } from 'h3/node'
import { listen as listhen } from 'listhen'
import type { Gateway } from '../core/gateway.ts'
import { ConfigError } from './errors.ts'
import { Connections } from './connections.ts'
import type { ServerOptions } from './schema.ts'
import { checkTls } from './tls.ts'

export interface Listener {
  readonly server: Server
  readonly connections: Connections
  readonly host: string
  readonly port: number
  /** Where a client on this machine reaches it. */
  readonly url: string
  /** Whether it listens on all interfaces of the machine. */
  readonly everywhere: boolean
}

// Answers may take long, requests may not: a client that is slow to ask holds a connection for nothing.
const headersTimeoutMs = 30_000
const requestTimeoutMs = 300_000
// Longer than the minute that load balancers keep idle connections, so that none is reused while it closes here.
const keepAliveTimeoutMs = 75_000

export async function listen(gateway: Gateway, { host, port, tls }: Pick<ServerOptions, 'host' | 'port' | 'tls'>): Promise<Listener> {
  if (tls) checkTls(tls)
  let server: Server
  try {
    const listener = await listhen(toNodeHandler(gateway.http.h3), {
      // Without `random`, listhen takes port 0 for its own default.
      port: port === 0 ? { port, random: true } : port,
      hostname: host,
      public: !isLoopback(host),
      showURL: false,
      autoClose: false,
      // Otherwise a taken port is replaced by another one.
      isProd: true,
      ...(tls && { https: tls }),
    })
    server = listener.server as Server
  } catch (error) {
    throw await explain(host, port, error)
  }
  const address = server.address() as AddressInfo
  if (port !== 0 && address.port !== port) {
    server.close()
    throw new ConfigError(undefined, [
      `Port ${port} is reserved for another protocol, and browsers refuse it. Set server.port to another one.`,
    ])
  }
  server.headersTimeout = headersTimeoutMs
  server.requestTimeout = requestTimeoutMs
  server.keepAliveTimeout = keepAliveTimeoutMs
  const url = `${tls ? 'https' : 'http'}://${reachable(host)}:${address.port}`
  return { server, connections: new Connections(server), host, port: address.port, url, everywhere: host === '0.0.0.0' || host === '::' }
}

/** Tries the address again, alone, for the reason that listhen keeps to itself. */
async function explain(host: string, port: number, failure: unknown): Promise<ConfigError> {
  const probe = createServer()
  try {
    await once(probe.listen(port, host), 'listening')
    return new ConfigError(undefined, [`Cannot listen on ${host}:${port}: ${(failure as Error).message}`])
  } catch (error) {
    return new ConfigError(undefined, [`Cannot listen on ${host}:${port}: ${reasonOf(error as NodeJS.ErrnoException)}`])
  } finally {
    probe.close()
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'the port is taken, perhaps by another gateway. Stop what uses it, or choose another port: --port, or server.port in the config.'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address. Set server.host to one that it has, such as 127.0.0.1 or 0.0.0.0.'
    case 'EACCES':
      return 'this user may not. Choose a port above 1023: --port, or server.port in the config.'
    default:
      return message
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
