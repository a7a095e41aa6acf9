import type { Endpoint } from '../contracts/catalog.ts'
import type { TokenUsage } from '../contracts/events.ts'
import type { CreditHold, CreditRange } from '../contracts/ledger.ts'
import type { GatewayError } from '../foundation/errors.ts'
import { costOf } from './cost.ts'
import type { HeldWindows } from './held-windows.ts'
import { ledgerUnavailable } from './ledger-unavailable.ts'
import { covers, outputTokensFor, spendAt, type Spend } from './spend.ts'
import { inputBound, type TokenNeed } from './token-need.ts'

export interface ReservationParts {
  readonly tokens: HeldWindows | undefined
  readonly credit: CreditHold | undefined
  /** The 402 for a further attempt that the credit does not cover. */
  readonly refusal: () => GatewayError
  readonly need: TokenNeed
  /** An upper bound of the input tokens. */
  readonly inputTokens: number
}

/** The tokens and credit held for one request. The credit that is left limits the output of each attempt. */
export class Reservation {
  readonly #tokens: HeldWindows | undefined
  readonly #credit: CreditHold | undefined
  readonly #refusal: () => GatewayError
  #need: TokenNeed
  #inputTokens: number
  /** What finished rounds and attempts cost, or may have cost. */
  #goneUsd = 0
  /** The known cost of failed attempts. */
  #lostUsd = 0

  constructor({ tokens, credit, refusal, need, inputTokens }: ReservationParts) {
    this.#tokens = tokens
    this.#credit = credit
    this.#refusal = refusal
    this.#need = need
    this.#inputTokens = inputTokens
  }

  /** The candidates whose cheapest answer is covered by the hold: at least one. Without a hold, all of them. */
  affordable<C extends { readonly endpoint: Endpoint }>(candidates: readonly C[]): readonly C[] {
    return candidates.filter(({ endpoint }) => {
      const spend = this.#spendAt(endpoint)
      return !spend || covers(this.#leftUsd, spend.leastUsd)
    })
  }

  /**
   * Makes sure that the hold covers another attempt at this endpoint, and extends it if necessary. Returns the output limit in tokens that
   * keeps the cost within the hold, or undefined if no such limit is needed. Throws 402 if not even the shortest answer is covered.
   */
  async outputLimit(endpoint: Endpoint): Promise<number | undefined> {
    const spend = this.#spendAt(endpoint)
    if (!spend) return undefined
    const { leastUsd, mostUsd } = spend
    if (covers(this.#leftUsd, mostUsd)) return undefined
    const atLeast = covers(this.#leftUsd, leastUsd) ? 0 : leastUsd - this.#leftUsd
    const extended = await this.#extend({ atLeast, atMost: mostUsd - this.#leftUsd })
    if (!extended && atLeast > 0) throw this.#refusal()
    if (covers(this.#leftUsd, mostUsd)) return undefined
    return Math.max(this.#need.leastOutputTokens, outputTokensFor(this.#leftUsd, spend))
  }

  /** Call when a round is over: `costUsd` is what it cost, null if unknown. */
  roundOver(costUsd: number | null): void {
    if (this.#credit) this.#goneUsd += costUsd ?? this.#leftUsd
  }

  /** Makes sure that the hold covers this cost, which then counts as spent. False if the credit does not cover it. */
  async spend(usd: number): Promise<boolean> {
    if (!this.#credit || usd <= 0) return true
    const leftUsd = this.#leftUsd
    // Before the wait: what is left must not cover two calls.
    this.#goneUsd += usd
    if (covers(leftUsd, usd)) return true
    const missing = usd - leftUsd
    if (await this.#credit.extend({ atLeast: missing, atMost: missing })) return true
    this.#goneUsd -= usd
    return false
  }

  /** Gives back what `spend` took and nobody charged. */
  giveBack(usd: number): void {
    if (this.#credit) this.#goneUsd -= usd
  }

  /** Call before another round: `measure` gives what it needs. */
  nextRound(measure: () => TokenNeed): void {
    if (!this.#credit) return
    const need = measure()
    this.#inputTokens += inputBound(need) - inputBound(this.#need)
    this.#need = need
  }

  /**
   * Call when an attempt failed before it answered: the next one has that much less. Without a known usage, `mayBeBilled` assumes the most.
   */
  attemptFailed(endpoint: Endpoint, usage: TokenUsage | undefined, mayBeBilled: boolean): void {
    const spend = this.#spendAt(endpoint)
    if (!spend) return
    const costUsd = usage && costOf(usage, endpoint.price)
    if (costUsd !== undefined && costUsd !== null) {
      this.#goneUsd += costUsd
      this.#lostUsd += costUsd
    } else if (mayBeBilled) this.#goneUsd += Math.min(spend.mostUsd, this.#leftUsd)
  }

  /** `costUsd` is null if unknown. The whole hold then counts as spent. */
  async settle(usage: TokenUsage, costUsd: number | null): Promise<void> {
    await this.#tokens?.settle(usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.output)
    await this.#credit?.settle(costUsd === null ? this.#credit.usd : costUsd + this.#lostUsd)
  }

  /** Call when nothing was answered. The known cost of failed attempts is charged all the same. */
  async release(): Promise<void> {
    await this.#tokens?.release()
    if (this.#lostUsd > 0) await this.#credit?.settle(this.#lostUsd)
    else await this.#credit?.release()
  }

  async #extend(range: CreditRange): Promise<boolean> {
    try {
      return await this.#credit!.extend(range)
    } catch (cause) {
      throw ledgerUnavailable(cause)
    }
  }

  get #leftUsd(): number {
    return Math.max(0, this.#credit!.usd - this.#goneUsd)
  }

  /** Undefined if nothing is held for the endpoint: there is no cap, or the endpoint has no price. */
  #spendAt(endpoint: Endpoint): Spend | undefined {
    if (!this.#credit || !endpoint.price) return undefined
    return spendAt(endpoint, endpoint.price, this.#need, this.#inputTokens)
  }
}
