import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A turn of the event loop that takes no longer has accepted nothing and run next to nothing. */
const quietTurnMs = 0.1
/** How long to wait for quiet turns, over all servers together. */
const patienceMs = 2_000

/**
 * Closes the servers for new connections, and leaves the open ones alone. When a server closes, the kernel resets the connections that are
 * ready to be accepted, and a proxy that has already sent a POST on one may not send it elsewhere. So each server closes right after a look for
 * new connections that found nothing: in a turn of the event loop in which nothing else ran. `closed` is called for each server when its
 * last connection has ended.
 */
export async function stopAccepting(servers: readonly NetServer[], closed: () => void): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (const server of servers) {
    await quietTurn(deadline)
    // The HTTP server's own `close` would also close idle connections at once.
    NetServer.prototype.close.call(server, closed)
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
