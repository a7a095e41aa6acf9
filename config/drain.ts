import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Gateway } from '../core/gateway.ts'

const pollMs = 25
/** Enough for an open stream to say that it ends. */
const farewellMs = 2_000

/** Takes no more requests, lets the open ones finish within the time, ends the rest with an error, and stops the gateway. */
export async function drain(gateway: Gateway, server: Server, timeoutMs: number): Promise<void> {
  let isClosed = false
  server.close(() => void (isClosed = true))
  // A connection that is kept alive would bring more: it is told to go with its next reply.
  server.prependListener('request', (_, response) => void (response.shouldKeepAlive = false))
  const finished = async (withinMs: number): Promise<boolean> => {
    const deadline = performance.now() + withinMs
    while (!isClosed || gateway.liveRuns > 0) {
      if (performance.now() >= deadline) return false
      server.closeIdleConnections()
      await delay(pollMs)
    }
    return true
  }
  if (!(await finished(timeoutMs))) {
    gateway.log.warn('requests are still open after the drain timeout and end with an error', { runs: gateway.liveRuns })
    gateway.abortRuns()
    await finished(farewellMs)
  }
  server.closeAllConnections()
  await gateway.stop()
}
