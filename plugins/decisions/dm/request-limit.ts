import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '../../../core/index.ts'
import { own, wording } from '../../../core/kit.ts'
import type { RateLimiter, TokenWindow } from '../../../core/stores.ts'

const maxWaitMs = 1_000
const windowMs = 60_000

/** The vendor's requests per minute: one bucket for the account, shared by all callers. */
export class RequestLimit {
  readonly #limiter: RateLimiter
  readonly #windows: readonly [TokenWindow]
  readonly #vendor: string

  constructor(limiter: RateLimiter, vendor: string, requestsPerMinute: number) {
    this.#limiter = limiter
    this.#vendor = vendor
    this.#windows = [{ bucket: `decisions:${vendor}`, tokens: requestsPerMinute, windowMs }]
  }

  /** Waits until a request may be sent. Throws 429 if that takes too long. */
  async take(signal: AbortSignal): Promise<void> {
    let waitedMs = 0
    for (;;) {
      const taken = await this.#limiter.reserve(this.#windows, 1, `vendor:${this.#vendor}`)
      // The hold is never released: the request counts, whatever its outcome.
      if (!('retryAfterMs' in taken)) return
      const { retryAfterMs = windowMs } = taken
      if (waitedMs + retryAfterMs > maxWaitMs) throw this.#full(retryAfterMs)
      const waitMs = Math.max(1, retryAfterMs)
      await sleep(waitMs, undefined, { signal })
      waitedMs += waitMs
    }
  }

  #full(retryAfterMs: number): GatewayError {
    return new GatewayError({
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message: wording`The gateway's limit of ${own(this.#windows[0].tokens)} requests per minute to the decision vendor is used up. Try again in ${own(Math.ceil(retryAfterMs / 1000))} s.`,
      reason: { kind: 'overload' },
      retryAfterMs,
    })
  }
}
