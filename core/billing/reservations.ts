import { wire } from '../framework/container.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { Hold } from '../contracts/hold.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import { Ledger, type CreditHold, type CreditRange } from '../contracts/ledger.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { GatewayError } from '../foundation/errors.ts'
import { estimateTokens } from '../tokens/estimate.ts'
import { capReached, Reservation } from './reservation.ts'
import { covers, outputLimitOf, spendAt } from './spend.ts'
import { inputBound, type TokenNeed } from './token-need.ts'

const windowMs = 60_000
/** The fewest output tokens assumed for a request without a limit. Only for limits on tokens per minute. */
const leastAssumedOutput = 1_000
const averagedMs = 3_600_000
/** Shorter texts, in bytes, are not worth counting: the bound is close enough. */
const shortTextBytes = 2_000
/** A model's own tokenizer hardly ever gives more tokens than the stand-in's count times this. */
const standInMargin = 1.5

/** Holds the tokens and credit that a request may take. Throws 402 and 429, before anything is sent upstream. */
export class Reservations {
  readonly #ledger: Ledger
  readonly #limiter: RateLimiter
  readonly #metrics: MetricStore
  readonly #counter: TokenCounter

  static {
    wire(this, [Ledger, RateLimiter, MetricStore, TokenCounter])
  }

  constructor(ledger: Ledger, limiter: RateLimiter, metrics: MetricStore, counter: TokenCounter) {
    this.#ledger = ledger
    this.#limiter = limiter
    this.#metrics = metrics
    this.#counter = counter
  }

  /** Undefined for keys without limits, which most are. `measure` runs only if it is needed. */
  async reserve(key: ApiKey, measure: () => TokenNeed, endpoints: readonly Endpoint[]): Promise<Reservation | undefined> {
    if (key.tokensPerMinute === undefined && key.spendCapUsd === undefined) return undefined
    const need = measure()
    const tokens =
      key.tokensPerMinute === undefined
        ? undefined
        : await this.#reserveTokens(key, key.tokensPerMinute, this.#likelyTokens(need, endpoints))
    if (key.spendCapUsd === undefined) return new Reservation({ key, tokens, credit: undefined, need, inputTokens: 0 })
    try {
      return new Reservation({ key, tokens, need, ...(await this.#reserveCredit(key, need, endpoints)) })
    } catch (error) {
      await tokens?.release()
      throw error
    }
  }

  /** A rate limit evens out over time, so holding the likely number of tokens is enough. */
  #likelyTokens(need: TokenNeed, endpoints: readonly Endpoint[]): number {
    const [first] = endpoints
    const input = estimateTokens(need.texts.reduce((sum, { length }) => sum + length, 0)) + need.otherInputTokens
    const output = need.outputTokens ?? this.#usualOutput(first!)
    return input + Math.min(output, outputLimitOf(first!, need))
  }

  #usualOutput({ provider, model }: Endpoint): number {
    const { requests, outputTokens } = this.#metrics.window(provider, model, averagedMs)
    return Math.max(leastAssumedOutput, requests > 0 ? Math.ceil(outputTokens / requests) : 0)
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
      message: `This request needs about ${tokens} tokens, and this API key's limit is ${tokensPerMinute} tokens per minute. ${advice}`,
      retryAfterMs,
      final: retryAfterMs === undefined,
    })
  }

  /** A token is at least one byte, and that bound costs nothing. The tokens are counted only if the bound exceeds the credit. */
  async #reserveCredit(
    key: ApiKey,
    need: TokenNeed,
    endpoints: readonly Endpoint[],
  ): Promise<{ readonly credit: CreditHold; readonly inputTokens: number }> {
    const bound = inputBound(need)
    const bytes = bound - need.otherInputTokens
    const range = rangeOf(endpoints, need, bound)
    const credit = await this.#ledger.reserve(key, range)
    if (credit && (bytes <= shortTextBytes || covers(credit.usd, range.atMost))) return { credit, inputTokens: bound }
    const counted = bytes > shortTextBytes ? await this.#count(need.texts, endpoints) : undefined
    if (counted === undefined || counted >= bytes) {
      if (credit) return { credit, inputTokens: bound }
      throw capReached(key)
    }
    await credit?.release()
    const inputTokens = counted + need.otherInputTokens
    const closer = await this.#ledger.reserve(key, rangeOf(endpoints, need, inputTokens))
    if (!closer) throw capReached(key)
    return { credit: closer, inputTokens }
  }

  async #count(texts: readonly string[], endpoints: readonly Endpoint[]): Promise<number | undefined> {
    const [tokenizer, another] = new Set(endpoints.map(endpoint => endpoint.tokenizer))
    const known = tokenizer !== undefined && another === undefined
    const count = await this.#counter.count(texts, { tokenizer })
    return count && Math.ceil(count.tokens * (known ? 1 : standInMargin))
  }
}

/** From the lowest cost at the cheapest endpoint to the highest at the most expensive one. */
function rangeOf(endpoints: readonly Endpoint[], need: TokenNeed, inputTokens: number): CreditRange {
  let atLeast = Infinity
  let atMost = 0
  for (const endpoint of endpoints) {
    const { leastUsd, mostUsd } = endpoint.price ? spendAt(endpoint, endpoint.price, need, inputTokens) : free
    atLeast = Math.min(atLeast, leastUsd)
    atMost = Math.max(atMost, mostUsd)
  }
  return { atLeast, atMost }
}

const free = { leastUsd: 0, mostUsd: 0 }
