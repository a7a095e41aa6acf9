import { setTimeout as delay } from 'node:timers/promises'
import type { Gateway } from '../core/gateway.ts'
import type { AdminListener } from './listen-admin.ts'
import type { Listener } from './listen.ts'
import { stopAccepting } from './stop-accepting.ts'

const pollMs = 25
/**
 * How long a connection must be quiet before it is closed. A client may be about to reuse it. If it does so within this time, the next
 * response tells it that the connection closes; closing the connection at once would lose that request.
 */
const quietMs = 1_000
/** Long enough for open streams to send their final event. */
const farewellMs = 2_000
/** Long enough for requests that were broken off to end. */
const brokenOffMs = 250

/**
 * Stops accepting connections, lets open requests finish within `timeoutMs`, ends the rest with an error, and stops the gateway. The admin
 * listener serves until then: it has the probes.
 */
export async function drain(
  gateway: Gateway,
  { server, acceptors, connections }: Listener,
  timeoutMs: number,
  admin?: AdminListener,
): Promise<void> {
  connections.announceEnd()
  let open = acceptors.length
  await stopAccepting(acceptors, () => void open--)
  gateway.connections.stop()
  const closeAfterMs = Math.min(quietMs, timeoutMs)
  const finished = async (withinMs: number): Promise<boolean> => {
    const deadline = performance.now() + withinMs
    while (open > 0 || gateway.liveRuns > 0 || gateway.connections.count > 0) {
      if (performance.now() >= deadline) return false
      connections.closeQuiet(closeAfterMs)
      await delay(pollMs)
    }
    return true
  }
  if (!(await finished(timeoutMs))) {
    if (gateway.liveRuns > 0)
      gateway.log.warn('ending requests that are still open after the drain timeout with an error', { runs: gateway.liveRuns })
    gateway.abortRuns()
    await finished(farewellMs)
  }
  server.closeAllConnections()
  // Requests that this breaks off, such as those whose body never came, end in their records a turn later.
  await finished(brokenOffMs)
  admin?.close()
  await gateway.stop()
}
