import type { ApiKey, KeyLimit } from '../contracts/key-store.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import type { Maybe } from '../runtime/pending.ts'
import { wire } from '../framework/container.ts'
import { reserveIn, windowText, type FullLimit } from './windows.ts'

/** Limits the requests of a key to models: how many in each window, and how many at once. Decisions and responses count together. */
export class RequestLimits {
  readonly #limiter: RateLimiter

  static {
    wire(this, [RateLimiter])
  }

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter
  }

  /**
   * Counts a request. Undefined for keys without such limits. Otherwise call the returned function when the request is over. Throws 429. A
   * request counts in its windows even if it fails; one that is refused here counts in none. `context` gets how the windows stand then.
   */
  enter(key: ApiKey, context?: Pick<RunContext, 'windows'>): Maybe<(() => void) | undefined> {
    const { maxConcurrency, limits } = key
    const limited = limits?.some(({ requests }) => requests !== undefined)
    if (maxConcurrency === undefined && !limited) return undefined
    return this.#enter(key, context)
  }

  async #enter({ id, maxConcurrency, limits = [] }: ApiKey, context: Pick<RunContext, 'windows'> | undefined): Promise<() => void> {
    const leave = maxConcurrency === undefined ? () => {} : await this.#limiter.enter(`key:${id}`, maxConcurrency)
    if (!leave) throw tooManyAtOnce(maxConcurrency!)
    try {
      const windows = limits.filter(({ requests }) => requests !== undefined)
      if (windows.length > 0) await this.#count(id, windows, context)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  async #count(id: string, windows: readonly KeyLimit[], context: Pick<RunContext, 'windows'> | undefined): Promise<void> {
    const held = await reserveIn(this.#limiter, id, windows, 1, context)
    if ('limit' in held) throw tooMany(held)
    await held.settle(1)
  }
}

function tooMany({ limit, retryAfterMs = limit.windowMs }: FullLimit): GatewayError {
  return rateLimited(
    `This API key's limit is ${windowText(limit)}. Please try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))}s.`,
    retryAfterMs,
  )
}

/** There is no telling when a request ends, so the advice is the shortest that clients can follow. */
const retryAfterConcurrencyMs = 1_000

function tooManyAtOnce(maxConcurrency: number): GatewayError {
  const requests = maxConcurrency === 1 ? '1 request' : `${maxConcurrency} requests`
  return rateLimited(
    `This API key may have ${requests} to models in progress at once. Wait until one of them ends.`,
    retryAfterConcurrencyMs,
  )
}

function rateLimited(message: string, retryAfterMs: number): GatewayError {
  return new GatewayError({ status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded', message, retryAfterMs })
}
