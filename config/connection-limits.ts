import type { Server } from 'node:http'

// Responses may take long, but requests may not: a slow sender would occupy a connection for nothing.
const headersTimeoutMs = 30_000
const requestTimeoutMs = 300_000
// Longer than the 60 s for which load balancers keep idle connections, so that none is reused while it closes here.
const keepAliveTimeoutMs = 75_000

/** Sets how long a client may take to send a request, and stay without one. */
export function limitConnections(server: Server): void {
  server.headersTimeout = headersTimeoutMs
  server.requestTimeout = requestTimeoutMs
  server.keepAliveTimeout = keepAliveTimeoutMs
}
