import { once } from 'node:events'
import net, { createServer, type AddressInfo } from 'node:net'
import { ConfigError } from '../errors.ts'
import { adminFailure, publicFailure } from '../listen-failure.ts'
import type { Fixed, Place, SocketName } from './messages.ts'

/** A socket with an address that this process does not accept from. It can be sent to other processes, which can listen on it. */
export interface BoundSocket {
  close(): void
  /** Returns a negative number if it fails. */
  getsockname(into: { port?: number }): number
}

/**
 * How Node's own module `cluster` makes sockets for its workers. A `Server` would accept connections, and the kernel resets those that wait
 * at a socket of a shared port when it closes. So there has to be a process that keeps the sockets and never accepts.
 */
const { _createServerHandle: bind } = net as unknown as {
  readonly _createServerHandle?: (address: string, port: number, family: 4 | 6, fd: undefined, flags: number) => BoundSocket | number
}

/** `UV_TCP_REUSEPORT` of libuv. */
const reusePort = 2
/** See `config/acceptors.ts`: together, the workers have as many as a single process. */
const handles = 64

/** The sockets that all workers share. They stay open as long as the parent lives. */
export class Sockets {
  readonly place: Place
  readonly #sockets: ReadonlyMap<SocketName, BoundSocket>

  private constructor(sockets: ReadonlyMap<SocketName, BoundSocket>, place: Place) {
    this.#sockets = sockets
    this.place = place
  }

  /** Throws a `ConfigError` if an address cannot be had, or is another process's. */
  static async open({ host, port, admin, workers }: Fixed): Promise<Sockets> {
    // Elsewhere the kernel gives all connections to one of the sockets, or has no shared ports. There, all workers accept from one.
    const count = process.platform === 'linux' ? Math.ceil(handles / workers) * workers : 1
    const shared = await socketsAt(host, port, count, publicFailure)
    const own = admin && (await socketsAt(admin.host, admin.port, 1, adminFailure))
    const sockets = new Map<SocketName, BoundSocket>(shared.sockets.map((socket, index) => [index, socket]))
    if (own) sockets.set('admin', own.sockets[0]!)
    return new Sockets(sockets, { host, port: shared.port, admin: admin && { host: admin.host, port: own!.port } })
  }

  get names(): readonly SocketName[] {
    return [...this.#sockets.keys()]
  }

  /** Those of the public API. */
  get numbers(): readonly number[] {
    return this.names.filter(name => name !== 'admin')
  }

  get(name: SocketName): BoundSocket {
    return this.#sockets.get(name)!
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close()
  }
}

async function socketsAt(
  host: string,
  port: number,
  count: number,
  failure: (host: string, port: number, error: unknown) => ConfigError,
): Promise<{ readonly sockets: readonly BoundSocket[]; readonly port: number }> {
  if (!bind) throw new ConfigError(undefined, ['This version of Node.js cannot share a port among workers. Start with --workers 1.'])
  const found = await freeAddress(host, port, failure)
  const flags = count > 1 ? reusePort : 0
  const sockets = Array.from({ length: count }, () => bind(found.address, found.port, found.family === 'IPv6' ? 6 : 4, undefined, flags))
  for (const socket of sockets) if (!isBound(socket)) throw failure(host, port, { code: 'EADDRINUSE' })
  return { sockets: sockets as readonly BoundSocket[], port: found.port }
}

/** Listens alone for a moment, to make sure that nobody else does: sockets that share a port would not notice another gateway. */
async function freeAddress(
  host: string,
  port: number,
  failure: (host: string, port: number, error: unknown) => ConfigError,
): Promise<AddressInfo> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port }), 'listening')
    return probe.address() as AddressInfo
  } catch (error) {
    throw failure(host, port, error)
  } finally {
    probe.close()
  }
}

/** A port that is in use shows only here. */
function isBound(socket: BoundSocket | number): boolean {
  if (typeof socket === 'number') return false
  const name: { port?: number } = {}
  return socket.getsockname(name) === 0 && name.port !== 0
}
