import type { Hold } from '../contracts/hold.ts'
import type { KeyLimit } from '../contracts/key-store.ts'
import type { RateLimiter } from '../contracts/rate-limiter.ts'
import { windowOf } from './windows.ts'

/** A limit that leaves no room. `retryAfterMs` is undefined if even a whole window is too small. */
export interface FullWindow {
  readonly limit: KeyLimit
  readonly retryAfterMs: number | undefined
}

/** The holds of one request in several windows. */
export class HeldWindows {
  readonly #holds: readonly Hold[]

  private constructor(holds: readonly Hold[]) {
    this.#holds = holds
  }

  /** Reserves in every window, or in none. Then the result is the one with the longest wait, because a request must fit into all of them. */
  static async reserve(
    limiter: RateLimiter,
    keyId: string,
    limits: readonly KeyLimit[],
    amount: number,
  ): Promise<HeldWindows | FullWindow> {
    const holds: Hold[] = []
    let full: FullWindow | undefined
    for (const limit of limits) {
      const hold = await limiter.reserve(windowOf(keyId, limit), amount)
      if (!('retryAfterMs' in hold)) holds.push(hold)
      else if (!full || waitOf(hold) > waitOf(full)) full = { limit, retryAfterMs: hold.retryAfterMs }
    }
    const held = new HeldWindows(holds)
    if (full) await held.release()
    return full ?? held
  }

  async settle(actual: number): Promise<void> {
    for (const hold of this.#holds) await hold.settle(actual)
  }

  async release(): Promise<void> {
    for (const hold of this.#holds) await hold.release()
  }
}

function waitOf({ retryAfterMs = Infinity }: Pick<FullWindow, 'retryAfterMs'>): number {
  return retryAfterMs
}
