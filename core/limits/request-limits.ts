import type { ApiKey, KeyLimit } from '../contracts/key-store.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import { own, wording, type Wording } from '../foundation/wording.ts'
import type { Maybe } from '../runtime/pending.ts'
import { wire } from '../framework/container.ts'
import type { TokenNeed } from '../billing/token-need.ts'
import { EarlyTokens } from './early-tokens.ts'
import { fullLimit, reserveIn, show, windowsOf, windowText, type FullLimit } from './windows.ts'

/** A call, as far as its own request tells. */
export interface BegunCall {
  /** The tokens that it needs, without the conversation before it. */
  need?(): TokenNeed
}

/** Limits the requests of a key to models: how many in each window, and how many at once. Decisions and responses count together. */
export class RequestLimits {
  readonly #limiter: RateLimiter
  readonly #early: EarlyTokens

  static {
    wire(this, [RateLimiter, EarlyTokens])
  }

  constructor(limiter: RateLimiter, early: EarlyTokens) {
    this.#limiter = limiter
    this.#early = early
  }

  /**
   * Counts a request. Undefined for keys without such limits. Otherwise call the returned function when the request is over. Throws 429. A
   * request counts in its windows even if it fails; one that is refused here counts in none. `context` gets how the windows stand then.
   */
  enter(key: ApiKey, context?: Pick<RunContext, 'windows'>, call: BegunCall = {}): Maybe<(() => void) | undefined> {
    const { maxConcurrency, limits } = key
    const limited = limits?.some(({ requests }) => requests !== undefined)
    if (maxConcurrency === undefined && !limited) return undefined
    return this.#limiter.admit ? this.#admit(key, context, call) : this.#enter(key, context)
  }

  async #enter({ id, org, maxConcurrency, limits = [] }: ApiKey, context: Pick<RunContext, 'windows'> | undefined): Promise<() => void> {
    const leave = maxConcurrency === undefined ? () => {} : await this.#limiter.enter(`key:${id}`, maxConcurrency, org)
    if (!leave) throw tooManyAtOnce(maxConcurrency!)
    try {
      const windows = limits.filter(({ requests }) => requests !== undefined)
      if (windows.length > 0) await this.#count({ id, org }, windows, context)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  async #count(
    key: Pick<ApiKey, 'id' | 'org'>,
    windows: readonly KeyLimit[],
    context: Pick<RunContext, 'windows'> | undefined,
  ): Promise<void> {
    const held = await reserveIn(this.#limiter, key, windows, 1, context)
    if ('limit' in held) throw tooMany(held)
    await held.settle(1)
  }

  /** In one wait, with the tokens that the call is likely to need. */
  async #admit(key: ApiKey, context: Pick<RunContext, 'windows'> | undefined, call: BegunCall): Promise<() => void> {
    const { id, org, maxConcurrency, limits = [] } = key
    const requests = windowsOf(
      id,
      limits.filter(each => each.requests !== undefined),
    )
    const place = maxConcurrency === undefined ? undefined : { bucket: `key:${id}`, limit: maxConcurrency }
    const tokens = context && this.#early.of(key, call)
    const admitted = await this.#limiter.admit!({ place, requests: requests.map(({ window }) => window), tokens }, org)
    if (admitted === 'no-place') throw tooManyAtOnce(maxConcurrency!)
    show(requests, admitted.states, context)
    if ('retryAfterMs' in admitted) throw tooMany(fullLimit(requests, admitted))
    const { leave, tokens: hold } = admitted
    if (!hold || !context) return leave
    this.#early.keep(context, hold)
    return () => {
      // Left over if the call held no tokens, as one that was refused.
      void this.#early.take(context)?.release()
      leave()
    }
  }
}

function tooMany({ limit, retryAfterMs = limit.windowMs }: FullLimit): GatewayError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return rateLimited(
    wording`This API key's limit is ${own(windowText(limit))}. Please try again in ${own(seconds)}s.`,
    retryAfterMs,
    'limit',
  )
}

/** There is no telling when a request ends, so the advice is the shortest that clients can follow. */
const retryAfterConcurrencyMs = 1_000

function tooManyAtOnce(maxConcurrency: number): GatewayError {
  const requests = maxConcurrency === 1 ? '1 request' : `${maxConcurrency} requests`
  return rateLimited(
    wording`This API key may have ${own(requests)} to models in progress at once. Wait until one of them ends.`,
    retryAfterConcurrencyMs,
    'concurrency',
  )
}

function rateLimited(message: Wording, retryAfterMs: number, kind: 'limit' | 'concurrency'): GatewayError {
  const reason = { kind, level: 'key' } as const
  return new GatewayError({ status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded', message, retryAfterMs, reason })
}
