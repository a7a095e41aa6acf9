import { setTimeout as sleep } from 'node:timers/promises'
import { token } from '../../foundation/token.ts'

/** Randomness and sleep for retries. Tests replace it. */
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
/** A longer `retry-after` goes to the client, which is waiting. */
const maxRetryAfterMs = 2_000

/**
 * Exponential backoff with full jitter, so that requests that failed together do not return together: at least `retryAfterMs`, plus a
 * random time up to a limit that doubles with each retry. `retry` counts from 0, `random` is from 0 to 1. Undefined if the vendor asks for
 * too long a wait.
 */
export function retryDelayMs(retry: number, retryAfterMs: number | undefined, random: number): number | undefined {
  const leastMs = retryAfterMs ?? 0
  return leastMs > maxRetryAfterMs ? undefined : leastMs + random * baseMs * 2 ** retry
}
