import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Gateway } from '../core/gateway.ts'
import type { Listener } from './listen.ts'

const pollMs = 25
/**
 * How long a connection must be quiet before it is closed. A client may be about to use it again: within this time it learns from its
 * next answer that the connection closes, where closing it at once would lose the request.
 */
const quietMs = 1_000
/** Enough for an open stream to say that it ends. */
const farewellMs = 2_000

/** Takes no more connections, lets open requests finish within the time, ends the rest with an error, and stops the gateway. */
export async function drain(gateway: Gateway, { server, connections }: Listener, timeoutMs: number): Promise<void> {
  let isClosed = false
  // `server.close` of HTTP also closes idle connections at once.
  NetServer.prototype.close.call(server, () => void (isClosed = true))
  connections.announceEnd()
  const closeAfterMs = Math.min(quietMs, timeoutMs)
  const finished = async (withinMs: number): Promise<boolean> => {
    const deadline = performance.now() + withinMs
    while (!isClosed || gateway.liveRuns > 0) {
      if (performance.now() >= deadline) return false
      connections.closeQuiet(closeAfterMs)
      await delay(pollMs)
    }
    return true
  }
  if (!(await finished(timeoutMs))) {
    if (gateway.liveRuns > 0)
      gateway.log.warn('requests are still open after the drain timeout and end with an error', { runs: gateway.liveRuns })
    gateway.abortRuns()
    await finished(farewellMs)
  }
  server.closeAllConnections()
  await gateway.stop()
}
