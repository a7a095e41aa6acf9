import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError, type RateLimiter, type TokenWindow } from '../../../core/index.ts'

const longestWaitMs = 1_000
const windowMs = 60_000

/** The vendor's limit of requests a minute: one bucket for the account, whoever asks. */
export class RequestLimit {
  readonly #limiter: RateLimiter
  readonly #window: TokenWindow

  constructor(limiter: RateLimiter, vendor: string, requestsPerMinute: number) {
    this.#limiter = limiter
    this.#window = { bucket: `decisions:${vendor}`, tokens: requestsPerMinute, windowMs }
  }

  /** Resolves when there is room for a request; 429 where that is not soon. */
  async take(signal: AbortSignal): Promise<void> {
    let waitedMs = 0
    for (;;) {
      const taken = await this.#limiter.reserve(this.#window, 1)
      // A request that was made has been made: the hold is never given back.
      if (!('retryAfterMs' in taken)) return
      const { retryAfterMs = windowMs } = taken
      if (waitedMs + retryAfterMs > longestWaitMs) throw this.#full(retryAfterMs)
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
      message: `The gateway may send ${this.#window.tokens} requests a minute to the decision vendor, and has sent them. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
      retryAfterMs,
    })
  }
}
