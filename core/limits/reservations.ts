import { wire } from '../framework/container.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { ApiKey, KeyLimit } from '../contracts/key-store.ts'
import type { Hold } from '../contracts/hold.ts'
import { Ledger, type CreditHold, type CreditRange, type CreditShortage, type Spending } from '../contracts/ledger.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import type { Caller, RunContext } from '../contracts/run-context.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { Clock } from '../foundation/clock.ts'
import { Settings } from '../framework/settings.ts'
import { GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { recentValues } from '../runtime/recent-values.ts'
import { safeCount } from '../tokens/safe-count.ts'
import { CreditQueue } from './credit-queue.ts'
import { EarlyTokens, leastAssumedOutput } from './early-tokens.ts'
import { ledgerUnavailable } from './ledger-unavailable.ts'
import { likelyTokens } from './likely-tokens.ts'
import { Reservation, type ReservationServices } from './reservation.ts'
import { insufficientCredits, shortageNote } from './shortage.ts'
import { costWith, covers, outputLimitOf, spendAt } from './spend.ts'
import { inputBound, requestsTo, type TokenNeed } from '../billing/token-need.ts'
import { UsualOutput } from './usual-output.ts'
import { reserveIn, windowText } from './windows.ts'

const averagedMs = 3_600_000
/** Shorter texts, in bytes, are not worth counting: the bound is close enough. */
const shortTextBytes = 2_000

/** A candidate, and whether its hold can grow while its reply arrives. */
interface AskedEndpoint {
  readonly endpoint: Endpoint
  readonly canGrow: boolean
}

/** Told when the spending of a caller's caps or credit has changed, or was in the way of a request. `short`: of which. */
export type StandingListener = (caller: Caller, short?: CreditShortage['short']) => void

/** Holds the tokens and credit that a request may take. Throws 402 and 429, before anything is sent upstream. */
export class Reservations {
  readonly usual = new UsualOutput()
  readonly #ledger: Ledger
  readonly #limiter: RateLimiter
  readonly #metrics: MetricStore
  readonly #counter: TokenCounter
  readonly #clock: Clock
  readonly #settings: Settings
  readonly #early: EarlyTokens
  readonly #queue: CreditQueue
  readonly #services: ReservationServices
  /** Requests whose record has a note of a shortage. */
  readonly #noted = recentValues<string, true>(1_000)
  #listener: StandingListener | undefined

  static {
    wire(this, [Ledger, RateLimiter, MetricStore, TokenCounter, Clock, Settings, EarlyTokens])
  }

  constructor(
    ledger: Ledger,
    limiter: RateLimiter,
    metrics: MetricStore,
    counter: TokenCounter,
    clock: Clock,
    settings: Settings,
    early: EarlyTokens,
  ) {
    this.#ledger = ledger
    this.#limiter = limiter
    this.#metrics = metrics
    this.#counter = counter
    this.#clock = clock
    this.#settings = settings
    this.#early = early
    this.#queue = new CreditQueue(settings.creditWaitMs)
    this.#services = {
      counter,
      usual: this.usual,
      refused: (context, shortage) => this.#refused(context, shortage),
      short: (context, shortage) => this.#note(context, shortage),
      freed: (spending, caller) => {
        this.#queue.freed(spending)
        this.#listener?.(caller)
      },
    }
  }

  /** Call once. */
  watch(listener: StandingListener): void {
    this.#listener = listener
  }

  /**
   * Reserves tokens and money. Undefined for callers without limits, which most are. `measure` runs only if needed. `canGrow`: whether the
   * hold can grow while a candidate's reply arrives, so that the usual output is enough at first.
   */
  reserve<C extends { readonly endpoint: Endpoint }>(
    context: RunContext,
    measure: () => TokenNeed,
    candidates: readonly C[],
    canGrow?: (candidate: C) => boolean,
  ): Promise<Reservation> | undefined {
    const { key, spending } = context.caller
    const windows = key.limits?.some(({ tokens }) => tokens !== undefined)
    if (!windows && !spending) return undefined
    const asked = candidates.map(candidate => ({ endpoint: candidate.endpoint, canGrow: spending && canGrow ? canGrow(candidate) : false }))
    return this.#reserve(context, measure, asked)
  }

  async #reserve(context: RunContext, measure: () => TokenNeed, asked: readonly AskedEndpoint[]): Promise<Reservation> {
    const need = measure()
    const { key, spending } = context.caller
    const windows = key.limits?.filter(({ tokens }) => tokens !== undefined) ?? []
    const likely = (): number =>
      this.#likelyTokens(
        key,
        need,
        asked.map(({ endpoint }) => endpoint),
      )
    const tokens = windows.length > 0 ? await this.#reserveTokens(context, windows, likely()) : undefined
    const parts = { tokens, need, context, services: this.#services }
    if (!spending) return new Reservation({ ...parts, credit: undefined, inputTokens: 0 })
    try {
      const credit = await this.#reserveCredit(context, spending, need, asked)
      return new Reservation({ ...parts, ...credit })
    } catch (error) {
      await tokens?.release()
      throw error
    }
  }

  #likelyTokens(key: ApiKey, need: TokenNeed, endpoints: readonly Endpoint[]): number {
    const [first] = endpoints
    const usual = this.#usualOutput(first!)
    this.#early.learn(key.id, { usual, most: outputLimitOf(first!, { ...need, outputTokens: undefined }) })
    const output = Math.min(need.outputTokens ?? usual, outputLimitOf(first!, need))
    return likelyTokens(need, output, requestsTo(first!, need.choices))
  }

  #usualOutput({ provider, model }: Endpoint): number {
    const { requests, outputTokens } = this.#metrics.window(provider, model, averagedMs)
    return Math.max(leastAssumedOutput, requests > 0 ? Math.ceil(outputTokens / requests) : 0)
  }

  async #reserveTokens(context: RunContext, windows: readonly KeyLimit[], tokens: number): Promise<Hold> {
    const held = await reserveIn(this.#limiter, context.caller.key, windows, tokens, context, this.#early.take(context))
    if ('limit' in held) throw tooManyTokens(held.limit, tokens, held.retryAfterMs)
    return held
  }

  /** A token is at least one byte, and that bound costs nothing. The tokens are counted only if the bound takes much of the credit. */
  async #reserveCredit(
    context: RunContext,
    spending: Spending,
    need: TokenNeed,
    asked: readonly AskedEndpoint[],
  ): Promise<{ readonly credit: CreditHold; readonly inputTokens: number }> {
    const { owner } = context.caller
    const bound = inputBound(need)
    const bytes = bound - need.otherInputTokens
    const range = this.#rangeOf(asked, owner, need, bound)
    const isLong = bytes > shortTextBytes
    const first = await this.#hold(context, spending, range, !isLong)
    const credit = 'short' in first ? undefined : first
    const isMuch = credit !== undefined && credit.usd * 8 > credit.reachableUsd && asked.some(({ canGrow }) => canGrow)
    if (credit && (!isLong || (covers(credit.usd, range.atMost) && !isMuch))) return { credit, inputTokens: bound }
    const counted = isLong ? await this.#count(need.texts, asked) : undefined
    if (counted === undefined || counted >= bytes) {
      const held = credit ?? (isLong ? await this.#hold(context, spending, range, true) : first)
      if ('short' in held) throw this.#refused(context, held)
      return { credit: held, inputTokens: bound }
    }
    await credit?.release()
    const inputTokens = counted + need.otherInputTokens
    const closer = await this.#hold(context, spending, this.#rangeOf(asked, owner, need, inputTokens), true)
    if ('short' in closer) throw this.#refused(context, closer)
    return { credit: closer, inputTokens }
  }

  /** From the lowest cost at the cheapest endpoint to the highest at the most expensive one of those that are likely to be asked. */
  #rangeOf(asked: readonly AskedEndpoint[], owner: string, need: TokenNeed, inputTokens: number): CreditRange {
    const spends = asked.map(({ endpoint, canGrow }) => {
      if (!endpoint.price) return free
      const spend = spendAt(endpoint, endpoint.price, need, inputTokens)
      return canGrow ? { ...spend, maxUsd: Math.max(spend.leastUsd, costWith(this.usual.expected(owner, endpoint), spend)) } : spend
    })
    const likely = spends.slice(0, this.#settings.maxAttempts)
    return { atLeast: Math.min(...spends.map(({ leastUsd }) => leastUsd)), atMost: Math.max(...likely.map(({ maxUsd }) => maxUsd)) }
  }

  async #hold(context: RunContext, spending: Spending, range: CreditRange, isPatient: boolean): Promise<CreditHold | CreditShortage> {
    const reserve = async (): Promise<CreditHold | CreditShortage> => {
      try {
        return await this.#ledger.reserve(context.id, spending, range)
      } catch (cause) {
        throw ledgerUnavailable(cause)
      }
    }
    let since: number | undefined
    try {
      return await this.#queue.reserve({
        request: context.id,
        spending,
        leastUsd: range.atLeast,
        isPatient,
        waits: () => (since = this.#clock.elapsed()),
        reserve,
        get signal() {
          return context.signal
        },
      })
    } finally {
      if (since !== undefined) context.creditWaitMs = (context.creditWaitMs ?? 0) + this.#clock.elapsed() - since
    }
  }

  #refused(context: RunContext, shortage: CreditShortage): GatewayError {
    this.#note(context, shortage)
    return insufficientCredits(shortage, this.#ledger.now?.() ?? this.#clock.now())
  }

  /** Once per request, whose calls and attempts may all be refused. */
  #note(context: RunContext, shortage: CreditShortage): void {
    if (this.#noted.has(context.id)) return
    this.#noted.set(context.id, true)
    this.#listener?.(context.caller, shortage.short)
    context.note('credit', shortageNote(shortage))
  }

  #count(texts: readonly string[], asked: readonly AskedEndpoint[]): Promise<number | undefined> {
    const [tokenizer, ...others] = new Set(asked.map(({ endpoint }) => endpoint.tokenizer))
    return safeCount(this.#counter, others.length === 0 ? tokenizer : undefined, texts)
  }
}

function tooManyTokens(limit: KeyLimit, tokens: number, retryAfterMs: number | undefined): GatewayError {
  const advice =
    retryAfterMs === undefined
      ? 'Ask for fewer output tokens or send less.'
      : `Please try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))}s.`
  const asked = wording`This request needs about ${own(tokens)} tokens, and this API key's limit is ${own(windowText(limit))}.`
  return new GatewayError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: wording`${asked} ${own(advice)}`,
    reason: { kind: 'limit', level: 'key' },
    retryAfterMs,
    final: retryAfterMs === undefined,
  })
}

const free = { leastUsd: 0, maxUsd: 0 }
