import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { Server as NetServer } from 'node:net'
import { limitConnections } from './connection-limits.ts'
import type { ServerOptions } from './schema.ts'

/** A server that does not listen itself: others pass connections to it. */
export function serverOf(listener: RequestListener, tls: ServerOptions['tls']): Server {
  const server = tls ? createTlsServer(certificateOf(tls), listener) : createServer(listener)
  limitConnections(server)
  // From then on, it ends requests and connections that take too long.
  server.emit('listening')
  return server
}

/** Passes all connections of an acceptor on to a server. */
export function passOn(acceptor: NetServer, server: Server): void {
  acceptor.on('connection', socket => server.emit('connection', socket))
}

/** Another gateway serves the requests that come from now on, with the certificate as it is now. */
export function serveNext(server: Server, listener: RequestListener, tls: ServerOptions['tls']): void {
  if (tls) (server as TlsServer).setSecureContext(certificateOf(tls))
  server.removeAllListeners('request')
  server.on('request', listener)
}

function certificateOf({ cert, key, passphrase }: NonNullable<ServerOptions['tls']>): object {
  return { cert: readFileSync(cert), key: readFileSync(key), passphrase }
}
