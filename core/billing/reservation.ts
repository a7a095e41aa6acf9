import type { Endpoint } from '../contracts/catalog.ts'
import type { TokenUsage } from '../contracts/events.ts'
import type { Hold } from '../contracts/hold.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import type { CreditHold } from '../contracts/ledger.ts'
import { GatewayError } from '../foundation/errors.ts'
import { costOf } from './cost.ts'
import { covers, outputTokensFor, spendAt, type Spend } from './spend.ts'
import { inputBound, type TokenNeed } from './token-need.ts'

export interface ReservationParts {
  readonly key: ApiKey
  readonly tokens: Hold | undefined
  readonly credit: CreditHold | undefined
  readonly need: TokenNeed
  /** The most that the input can come to. */
  readonly inputTokens: number
}

/** Tokens and credit held for one request. What is left of the credit bounds what each attempt may be asked for. */
export class Reservation {
  readonly #key: ApiKey
  readonly #tokens: Hold | undefined
  readonly #credit: CreditHold | undefined
  #need: TokenNeed
  #inputTokens: number
  /** What rounds and attempts that are over cost, or may have cost. */
  #goneUsd = 0
  /** What failed attempts are known to have cost. */
  #lostUsd = 0

  constructor({ key, tokens, credit, need, inputTokens }: ReservationParts) {
    this.#key = key
    this.#tokens = tokens
    this.#credit = credit
    this.#need = need
    this.#inputTokens = inputTokens
  }

  /** Those that what is held suffices for: some, unless nothing was held at all. */
  affordable<C extends { readonly endpoint: Endpoint }>(candidates: readonly C[]): readonly C[] {
    return candidates.filter(({ endpoint }) => {
      const spend = this.#spendAt(endpoint)
      return !spend || covers(this.#leftUsd, spend.leastUsd)
    })
  }

  /**
   * Makes sure that another attempt at this endpoint is covered. Gives the output limit that keeps its cost within what is held, or
   * undefined where the request's own and the endpoint's do. Throws the 402 where even the least answer is no longer covered.
   */
  async outputLimit(endpoint: Endpoint): Promise<number | undefined> {
    const spend = this.#spendAt(endpoint)
    if (!spend) return undefined
    const { leastUsd, mostUsd } = spend
    if (covers(this.#leftUsd, mostUsd)) return undefined
    const atLeast = covers(this.#leftUsd, leastUsd) ? 0 : leastUsd - this.#leftUsd
    const extended = await this.#credit!.extend({ atLeast, atMost: mostUsd - this.#leftUsd })
    if (!extended && atLeast > 0) throw capReached(this.#key)
    if (covers(this.#leftUsd, mostUsd)) return undefined
    return Math.max(this.#need.leastOutputTokens, outputTokensFor(this.#leftUsd, spend))
  }

  /** A round is over, and the next one needs this much. `costUsd` is null where it is not known. */
  nextRound(costUsd: number | null, measure: () => TokenNeed): void {
    if (!this.#credit) return
    this.#goneUsd += costUsd ?? this.#leftUsd
    const need = measure()
    this.#inputTokens += inputBound(need) - inputBound(this.#need)
    this.#need = need
  }

  /** An attempt failed before it answered: what it cost, or may have cost, is no longer there for the next. */
  attemptFailed(endpoint: Endpoint, usage: TokenUsage | undefined, mayBeBilled: boolean): void {
    const spend = this.#spendAt(endpoint)
    if (!spend) return
    const costUsd = usage && costOf(usage, endpoint.price)
    if (costUsd !== undefined && costUsd !== null) {
      this.#goneUsd += costUsd
      this.#lostUsd += costUsd
    } else if (mayBeBilled) this.#goneUsd += Math.min(spend.mostUsd, this.#leftUsd)
  }

  /** `costUsd` is null where it is not known: then what was held is the best guess. */
  async settle(usage: TokenUsage, costUsd: number | null): Promise<void> {
    await this.#tokens?.settle(usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.output)
    await this.#credit?.settle(costUsd === null ? this.#credit.usd : costUsd + this.#lostUsd)
  }

  /** Nothing was answered. What failed attempts cost is spent all the same. */
  async release(): Promise<void> {
    await this.#tokens?.release()
    if (this.#lostUsd > 0) await this.#credit?.settle(this.#lostUsd)
    else await this.#credit?.release()
  }

  get #leftUsd(): number {
    return Math.max(0, this.#credit!.usd - this.#goneUsd)
  }

  /** Undefined where nothing is held for it: the key has no cap, or may use an endpoint without a price. */
  #spendAt(endpoint: Endpoint): Spend | undefined {
    if (!this.#credit || !endpoint.price) return undefined
    return spendAt(endpoint, endpoint.price, this.#need, this.#inputTokens)
  }
}

export function capReached({ spendCapUsd }: ApiKey): GatewayError {
  return new GatewayError({
    status: 402,
    type: 'insufficient_credits',
    code: 'insufficient_credits',
    message:
      `The spend cap of this API key, ${spendCapUsd} USD, leaves no room for this request. ` +
      'Wait for requests under way to end, send less, use a cheaper model, or raise the cap.',
  })
}
