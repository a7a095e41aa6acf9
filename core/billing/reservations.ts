import { wire } from '../framework/container.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { ApiKey, KeyLimit } from '../contracts/key-store.ts'
import { Ledger, type CreditHold, type CreditRange, type CreditShortage, type Spending } from '../contracts/ledger.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { Clock } from '../foundation/clock.ts'
import { Settings } from '../framework/settings.ts'
import { GatewayError } from '../foundation/errors.ts'
import { estimateTokens } from '../tokens/estimate.ts'
import { safeCount } from '../tokens/safe-count.ts'
import { HeldWindows } from './held-windows.ts'
import { ledgerUnavailable } from './ledger-unavailable.ts'
import { Reservation } from './reservation.ts'
import { insufficientCredits } from './shortage.ts'
import { covers, outputLimitOf, spendAt } from './spend.ts'
import { inputBound, type TokenNeed } from './token-need.ts'
import { windowText } from './windows.ts'

/** The fewest output tokens assumed for a request without a limit. Only for windows of tokens. */
const leastAssumedOutput = 1_000
const averagedMs = 3_600_000
/** Shorter texts, in bytes, are not worth counting: the bound is close enough. */
const shortTextBytes = 2_000

/** Holds the tokens and credit that a request may take. Throws 402 and 429, before anything is sent upstream. */
export class Reservations {
  readonly #ledger: Ledger
  readonly #limiter: RateLimiter
  readonly #metrics: MetricStore
  readonly #counter: TokenCounter
  readonly #clock: Clock
  readonly #settings: Settings

  static {
    wire(this, [Ledger, RateLimiter, MetricStore, TokenCounter, Clock, Settings])
  }

  constructor(ledger: Ledger, limiter: RateLimiter, metrics: MetricStore, counter: TokenCounter, clock: Clock, settings: Settings) {
    this.#ledger = ledger
    this.#limiter = limiter
    this.#metrics = metrics
    this.#counter = counter
    this.#clock = clock
    this.#settings = settings
  }

  /** Undefined for callers without limits, which most are. `measure` runs only if it is needed. */
  reserve(
    context: RunContext,
    measure: () => TokenNeed,
    candidates: readonly { readonly endpoint: Endpoint }[],
  ): Promise<Reservation> | undefined {
    const { key, spending } = context.caller
    const windows = key.limits?.some(({ tokens }) => tokens !== undefined)
    if (!windows && !spending) return undefined
    const endpoints = candidates.map(({ endpoint }) => endpoint)
    return this.#reserve(context, measure, endpoints)
  }

  async #reserve(context: RunContext, measure: () => TokenNeed, endpoints: readonly Endpoint[]): Promise<Reservation> {
    const need = measure()
    const { key, spending } = context.caller
    const windows = key.limits?.filter(({ tokens }) => tokens !== undefined) ?? []
    const tokens = windows.length > 0 ? await this.#reserveTokens(key, windows, this.#likelyTokens(need, endpoints)) : undefined
    // A reservation cannot be extended once the first cap is short, and the ledger does not say which one that is.
    const refusal = (): GatewayError => this.#refused({ short: spending!.caps[0] ?? 'credit' })
    if (!spending) return new Reservation({ tokens, credit: undefined, refusal, need, inputTokens: 0 })
    try {
      const credit = await this.#reserveCredit(context.id, spending, need, endpoints)
      return new Reservation({ tokens, need, refusal, ...credit })
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

  async #reserveTokens(key: ApiKey, windows: readonly KeyLimit[], tokens: number): Promise<HeldWindows> {
    const held = await HeldWindows.reserve(this.#limiter, key.id, windows, tokens)
    if (held instanceof HeldWindows) return held
    throw tooManyTokens(held.limit, tokens, held.retryAfterMs)
  }

  /** A token is at least one byte, and that bound costs nothing. The tokens are counted only if the bound exceeds the credit. */
  async #reserveCredit(
    requestId: string,
    spending: Spending,
    need: TokenNeed,
    endpoints: readonly Endpoint[],
  ): Promise<{ readonly credit: CreditHold; readonly inputTokens: number }> {
    const bound = inputBound(need)
    const bytes = bound - need.otherInputTokens
    const range = this.#rangeOf(endpoints, need, bound)
    const first = await this.#hold(requestId, spending, range)
    const credit = 'short' in first ? undefined : first
    if (credit && (bytes <= shortTextBytes || covers(credit.usd, range.atMost))) return { credit, inputTokens: bound }
    const counted = bytes > shortTextBytes ? await this.#count(need.texts, endpoints) : undefined
    if (counted === undefined || counted >= bytes) {
      if (credit) return { credit, inputTokens: bound }
      throw this.#refused(first as CreditShortage)
    }
    await credit?.release()
    const inputTokens = counted + need.otherInputTokens
    const closer = await this.#hold(requestId, spending, this.#rangeOf(endpoints, need, inputTokens))
    if ('short' in closer) throw this.#refused(closer)
    return { credit: closer, inputTokens }
  }

  /** From the lowest cost at the cheapest endpoint to the highest at the most expensive one of those that are likely to be asked. */
  #rangeOf(endpoints: readonly Endpoint[], need: TokenNeed, inputTokens: number): CreditRange {
    const spends = endpoints.map(endpoint => (endpoint.price ? spendAt(endpoint, endpoint.price, need, inputTokens) : free))
    const likely = spends.slice(0, this.#settings.maxAttempts)
    return { atLeast: Math.min(...spends.map(({ leastUsd }) => leastUsd)), atMost: Math.max(...likely.map(({ mostUsd }) => mostUsd)) }
  }

  async #hold(requestId: string, spending: Spending, range: CreditRange): Promise<CreditHold | CreditShortage> {
    try {
      return await this.#ledger.reserve(requestId, spending, range)
    } catch (cause) {
      throw ledgerUnavailable(cause)
    }
  }

  #refused(shortage: CreditShortage): GatewayError {
    return insufficientCredits(shortage, this.#clock.now())
  }

  #count(texts: readonly string[], endpoints: readonly Endpoint[]): Promise<number | undefined> {
    const [tokenizer, ...others] = new Set(endpoints.map(endpoint => endpoint.tokenizer))
    return safeCount(this.#counter, others.length === 0 ? tokenizer : undefined, texts)
  }
}

function tooManyTokens(limit: KeyLimit, tokens: number, retryAfterMs: number | undefined): GatewayError {
  const advice =
    retryAfterMs === undefined
      ? 'Ask for fewer output tokens or send less.'
      : `Please try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))}s.`
  return new GatewayError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: `This request needs about ${tokens} tokens, and this API key's limit is ${windowText(limit)}. ${advice}`,
    retryAfterMs,
    final: retryAfterMs === undefined,
  })
}

const free = { leastUsd: 0, mostUsd: 0 }
