import { wire } from '../container.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { TokenUsage } from '../contracts/events.ts'
import type { Hold } from '../contracts/hold.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import { Ledger } from '../contracts/ledger.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { GatewayError } from '../errors.ts'
import { highestCostOf } from '../generation/cost.ts'
import { estimateInput } from '../tokens/estimate.ts'

/** Output tokens set aside for a request that names no limit of its own. */
const assumedOutputTokens = 1_000
const windowMs = 60_000

/** What a request is likely to take. */
export interface TokenNeed {
  readonly inputTokens: number
  readonly outputTokens: number
}

export function needOf(request: GenerationRequest): TokenNeed {
  return { inputTokens: estimateInput(request), outputTokens: request.max_output_tokens ?? assumedOutputTokens }
}

/** Tokens and credit held for one request: settled with what it really took, or released. */
export interface Reservation {
  settle(usage: TokenUsage, costUsd: number | null): Promise<void>
  release(): Promise<void>
}

/** Sets aside what a request is likely to take: 402 and 429 come from here, before anything is answered. */
export class Reservations {
  readonly #ledger: Ledger
  readonly #limiter: RateLimiter

  static {
    wire(this, [Ledger, RateLimiter])
  }

  constructor(ledger: Ledger, limiter: RateLimiter) {
    this.#ledger = ledger
    this.#limiter = limiter
  }

  /** Undefined for a key without limits: most requests. */
  async reserve(key: ApiKey, measure: () => TokenNeed, endpoints: readonly Endpoint[]): Promise<Reservation | undefined> {
    if (key.tokensPerMinute === undefined && key.spendCapUsd === undefined) return undefined
    const { inputTokens, outputTokens } = measure()
    const tokens =
      key.tokensPerMinute === undefined ? undefined : await this.#reserveTokens(key, key.tokensPerMinute, inputTokens + outputTokens)
    try {
      const costUsd = dearest(endpoints, inputTokens, outputTokens)
      const credit = key.spendCapUsd === undefined ? undefined : await this.#reserveCredit(key, costUsd)
      return reservation(tokens, credit, costUsd)
    } catch (error) {
      await tokens?.release()
      throw error
    }
  }

  async #reserveTokens(key: ApiKey, tokensPerMinute: number, tokens: number): Promise<Hold> {
    const hold = await this.#limiter.reserve({ bucket: `key:${key.id}`, tokens: tokensPerMinute, windowMs }, tokens)
    if (!('retryAfterMs' in hold)) return hold
    const { retryAfterMs } = hold
    const advice =
      retryAfterMs === undefined
        ? 'Ask for fewer output tokens or send less.'
        : `Please try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))}s.`
    throw new GatewayError({
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message: `This request needs about ${tokens} tokens, and this API key's limit is ${tokensPerMinute} tokens a minute. ${advice}`,
      retryAfterMs,
      final: retryAfterMs === undefined,
    })
  }

  async #reserveCredit(key: ApiKey, costUsd: number): Promise<Hold> {
    const hold = await this.#ledger.reserve(key, costUsd)
    if (hold) return hold
    throw new GatewayError({
      status: 402,
      type: 'insufficient_credits',
      code: 'insufficient_credits',
      message: `This API key's spend cap of ${key.spendCapUsd} USD is reached, or this request might pass it.`,
    })
  }
}

function reservation(tokens: Hold | undefined, credit: Hold | undefined, heldUsd: number): Reservation {
  return {
    async settle(usage, costUsd) {
      await tokens?.settle(usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.output)
      // Of a cost that nobody knows, what was held is the best guess.
      await credit?.settle(costUsd ?? heldUsd)
    },
    async release() {
      await tokens?.release()
      await credit?.release()
    },
  }
}

function dearest(endpoints: readonly Endpoint[], inputTokens: number, outputTokens: number): number {
  return Math.max(0, ...endpoints.map(({ price }) => (price ? highestCostOf(inputTokens, outputTokens, price) : 0)))
}
