import { setTimeout as sleep } from 'node:timers/promises'
import { token } from '../foundation/token.ts'

/** The wait before the same endpoint is asked again. Replaced in tests. */
export interface Backoff {
  /** From 0 to 1. */
  random(): number
  /** Rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
export const Backoff = token<Backoff>('backoff')

export const systemBackoff: Backoff = {
  random: Math.random,
  async sleep(ms, signal) {
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
  },
}

const baseMs = 250
/** A client is waiting: what asks for more is better told to it. */
const longestRetryAfterMs = 2_000

/** Full jitter: any time up to a bound that doubles with each retry, so that requests which failed together do not return together. Undefined when the vendor asks for too much. */
export function retryDelayMs(retry: number, retryAfterMs: number | undefined, random: number): number | undefined {
  const leastMs = retryAfterMs ?? 0
  return leastMs > longestRetryAfterMs ? undefined : leastMs + random * baseMs * 2 ** retry
}
