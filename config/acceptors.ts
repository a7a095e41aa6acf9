import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, Server as NetServer, type AddressInfo } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/**
 * Node.js accepts one connection per handle and turn of the event loop. With one handle, the last of 256 new connections on a gateway
 * that serves 256 others waits for seconds; with 16 for 0.35 s, with 32 for 0.25 s, with 64 for 0.15 s.
 */
const handles = 64

/**
 * Replaces the single handle of a server that already listens with several on the same address, and passes their connections to the server.
 * The server listens alone first, to make sure that nobody else uses the port: handles that share a port would not notice another gateway.
 * Returns the servers to close to stop accepting.
 */
export async function acceptors(server: Server): Promise<readonly NetServer[]> {
  // Elsewhere the kernel gives all connections to one of the handles, or has no shared ports.
  if (process.platform !== 'linux') return [server]
  const { address, port } = server.address() as AddressInfo
  // The HTTP server's own `close` would also stop its timeouts.
  NetServer.prototype.close.call(server)
  const all = Array.from({ length: handles }, () => {
    // The same options as `http` and `https` use.
    const acceptor = createServer({ allowHalfOpen: !(server instanceof TlsServer), noDelay: true })
    return acceptor.on('connection', socket => server.emit('connection', socket))
  })
  try {
    await Promise.all(all.map(acceptor => once(acceptor.listen({ host: address, port, reusePort: true }), 'listening')))
  } catch (error) {
    for (const acceptor of all) acceptor.close()
    throw error
  }
  for (const acceptor of all) acceptor.on('error', error => server.emit('error', error))
  return all
}
