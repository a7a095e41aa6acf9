import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A turn of the event loop that takes no longer has accepted nothing and run next to nothing. */
const quietTurnMs = 0.1
/** How long to wait for quiet turns, over all servers together. */
const patienceMs = 1_000

/**
 * Closes the servers for new connections, and leaves the open ones alone. When a server closes, the kernel resets the connections that are
 * ready to be accepted, and a proxy that has already sent a POST on one may not send it elsewhere. So each server closes right after a look for
 * new connections that found nothing: in a turn of the event loop in which nothing else ran. Meanwhile new connections are only accepted, and
 * served afterwards, so that there are such turns on a busy gateway, too. `closed` is called for each server when its last connection has
 * ended.
 */
export async function stopAccepting(servers: readonly NetServer[], closed: () => void): Promise<void> {
  const deadline = performance.now() + patienceMs
  const serveHeld = servers.map(holdConnections)
  for (const server of servers) {
    await quietTurn(deadline)
    // The HTTP server's own `close` would also close idle connections at once.
    NetServer.prototype.close.call(server, closed)
  }
  for (const serve of serveHeld) serve()
}

/** Holds the connections that are accepted from now on. Returns the function that serves them. */
function holdConnections(server: NetServer): () => void {
  const held: Socket[] = []
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {})
    held.push(socket)
  })
  return () => {
    server.removeAllListeners('connection')
    for (const listener of listeners) server.on('connection', listener as (socket: Socket) => void)
    for (const socket of held) if (!socket.destroyed) server.emit('connection', socket)
  }
}

async function quietTurn(deadline: number): Promise<void> {
  let lastMs = performance.now()
  for (;;) {
    await nextTurn()
    const nowMs = performance.now()
    if (nowMs - lastMs <= quietTurnMs || nowMs >= deadline) return
    lastMs = nowMs
  }
}
