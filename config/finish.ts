import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { Gateway } from '../core/gateway.ts'

const pollMs = 25
/** Long enough for open streams to send their final event. */
const farewellMs = 2_000

/**
 * Lets the open requests of a gateway finish within `timeoutMs`, and ends the rest with an error. Also waits while `isOpen`, which is asked
 * again and again.
 */
export async function finish(gateway: Gateway, timeoutMs: number, isOpen: () => boolean): Promise<void> {
  if (await finishedWithin(gateway, timeoutMs, isOpen)) return
  if (gateway.liveRuns > 0)
    gateway.log.warn('ending requests that are still open after the drain timeout with an error', { runs: gateway.liveRuns })
  gateway.abortRuns()
  await finishedWithin(gateway, farewellMs, isOpen)
}

/** Resolves with false if something is still open by then. */
export async function finishedWithin(gateway: Gateway, withinMs: number, isOpen: () => boolean): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (isOpen() || gateway.liveRuns > 0 || gateway.connections.count > 0) {
    if (performance.now() >= deadline) return false
    await delay(pollMs)
    // Everything that arrived while the event loop was busy is read in between.
    await nextTurn()
  }
  return true
}
