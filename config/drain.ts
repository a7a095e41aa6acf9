import type { Gateway } from '../core/gateway.ts'
import { finish, finishedWithin } from './finish.ts'
import type { AdminListener } from './listen-admin.ts'
import type { Listener } from './listen.ts'
import { stopAccepting } from './stop-accepting.ts'

/**
 * How long a connection must be quiet before it is closed. A client may be about to reuse it. If it does so within this time, the next
 * response tells it that the connection closes; closing the connection at once would lose that request.
 */
const quietMs = 1_000
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
  const isOpen = (): boolean => {
    connections.closeQuiet(closeAfterMs)
    return open > 0
  }
  await finish(gateway, timeoutMs, isOpen)
  server.closeAllConnections()
  // Requests that this breaks off, such as those whose body never came, end in their records a turn later.
  await finishedWithin(gateway, brokenOffMs, isOpen)
  admin?.close()
  await gateway.stop()
}
