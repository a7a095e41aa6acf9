import type { Endpoint } from '../contracts/catalog.ts'
import type { TokenUsage } from '../contracts/events.ts'
import type { Hold } from '../contracts/hold.ts'
import type { CreditHold, CreditRange, CreditShortage, Spending } from '../contracts/ledger.ts'
import type { Caller, RunContext } from '../contracts/run-context.ts'
import type { TokenCounter } from '../contracts/token-counter.ts'
import type { GatewayError } from '../foundation/errors.ts'
import { describeError } from '../foundation/logger.ts'
import { Allowance } from './allowance.ts'
import { costOf } from '../billing/cost.ts'
import { ledgerUnavailable } from './ledger-unavailable.ts'
import { safeCount } from '../tokens/safe-count.ts'
import { holdLost } from './hold-lost.ts'
import { costWith, covers, outputTokensFor, spendAt, type Spend } from './spend.ts'
import { inputBound, type TokenNeed } from '../billing/token-need.ts'
import { isStillHeld, SureHold } from './sure-hold.ts'
import type { UsualOutput } from './usual-output.ts'

export interface ReservationParts {
  readonly tokens: Hold | undefined
  readonly credit: CreditHold | undefined
  readonly context: RunContext
  readonly services: ReservationServices
  readonly need: TokenNeed
  /** An upper bound of the input tokens. */
  readonly inputTokens: number
}

export interface ReservationServices {
  readonly counter: TokenCounter
  readonly usual: UsualOutput
  /** The 402 for a further attempt that the credit does not cover. */
  refused(context: RunContext, shortage: CreditShortage): GatewayError
  /** Notes in the record why an answer had to end. */
  short(context: RunContext, shortage: CreditShortage): void
  /** Called when the hold has ended. */
  freed(spending: Spending, caller: Caller): void
}

/** The output that an attempt may generate. */
export interface Cover {
  /** The limit of each answer's output, in tokens, that keeps the cost within what can be reached. Undefined if no such limit is needed. */
  readonly outputLimit?: number | undefined
  /** Pays for the output as it comes. Undefined if all of it is held. */
  readonly allowance?: Allowance | undefined
  /** Tells whether the hold is still there. Undefined if it cannot be lost. */
  readonly sureHold?: SureHold | undefined
}

const uncovered: Cover = {}

/** The tokens and credit held for one request. The credit that is left limits the output of each attempt. */
export class Reservation {
  readonly #tokens: Hold | undefined
  readonly #credit: CreditHold | undefined
  readonly #context: RunContext
  readonly #services: ReservationServices
  #need: TokenNeed
  #inputTokens: number
  /** The cost, or possible cost, of finished rounds and attempts. */
  #goneUsd = 0
  /** The known cost of failed attempts. */
  #lostUsd = 0
  /** The most that a reply whose hold can grow may cost. */
  #growsToUsd = 0

  constructor({ tokens, credit, context, services, need, inputTokens }: ReservationParts) {
    this.#tokens = tokens
    this.#credit = credit
    this.#context = context
    this.#services = services
    this.#need = need
    this.#inputTokens = inputTokens
  }

  /** Credit is held, not only tokens of a window. */
  get isCapped(): boolean {
    return this.#credit !== undefined
  }

  /** US dollars held so far. Undefined without a spend cap. */
  get heldUsd(): number | undefined {
    return this.#credit?.usd
  }

  /** Calls `end` when the answer has to end because its hold may be given to others. */
  onLost(end: () => void): void {
    this.#credit?.onLost?.(end)
  }

  /** The candidates whose cheapest answer is covered by the hold: at least one. Without a hold, all of them. */
  affordable<C extends { readonly endpoint: Endpoint }>(candidates: readonly C[]): readonly C[] {
    return candidates.filter(({ endpoint }) => {
      const spend = this.#spendAt(endpoint)
      return !spend || covers(this.#leftUsd, spend.leastUsd)
    })
  }

  /**
   * Makes sure that the hold covers another attempt at this endpoint, and extends it if necessary: for the usual output if it can grow
   * while the reply arrives, else for the longest. Throws 402 if not even the shortest answer is covered.
   */
  async cover(endpoint: Endpoint, canGrow: boolean): Promise<Cover> {
    const spend = this.#spendAt(endpoint)
    if (!spend) return uncovered
    if (!(await isStillHeld(this.#credit!))) throw holdLost()
    const { leastUsd, maxUsd } = spend
    const stepTokens = this.#services.usual.expected(this.#context.caller.owner, endpoint)
    const wantedUsd = canGrow ? Math.max(leastUsd, costWith(stepTokens, spend)) : maxUsd
    if (!covers(this.#leftUsd, wantedUsd)) {
      const atLeast = covers(this.#leftUsd, leastUsd) ? 0 : leastUsd - this.#leftUsd
      const extended = await this.#extend({ atLeast, atMost: wantedUsd - this.#leftUsd })
      if (extended !== true && atLeast > 0) throw this.#services.refused(this.#context, extended)
    }
    const sureHold = this.#credit!.isSure === undefined ? undefined : new SureHold(this.#credit!)
    if (covers(this.#leftUsd, maxUsd)) return { sureHold }
    if (canGrow) this.#growsToUsd = this.#goneUsd + maxUsd
    const reachableUsd = canGrow ? Math.max(this.#leftUsd, this.#credit!.reachableUsd - this.#goneUsd) : this.#leftUsd
    const outputLimit = covers(reachableUsd, maxUsd)
      ? undefined
      : Math.max(this.#need.leastOutputTokens, Math.floor(outputTokensFor(reachableUsd, spend) / (this.#need.choices ?? 1)))
    return { outputLimit, sureHold, allowance: canGrow ? this.#allowance(endpoint, stepTokens, outputLimit) : undefined }
  }

  /** Call with the usage that a provider reported for a whole reply, and the texts that it showed. */
  replied(endpoint: Endpoint, usage: TokenUsage, shown: readonly string[]): void {
    const bytes = shown.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    this.#services.usual.note(this.#context.caller.owner, endpoint, usage, bytes)
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
    if ((await this.#credit.extend({ atLeast: missing, atMost: missing })) === true) return true
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
    const more = inputBound(need) - inputBound(this.#need)
    // Less text does not mean as many tokens less as bytes: the bound holds for a conversation that was compacted.
    this.#inputTokens = more >= 0 ? this.#inputTokens + more : inputBound(need)
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
    } else if (mayBeBilled) this.#goneUsd += Math.min(spend.maxUsd / spend.requests, this.#leftUsd)
  }

  /** `costUsd` is null if unknown. All that could be held for the longest answer then counts as spent. */
  async settle(usage: TokenUsage, costUsd: number | null): Promise<void> {
    const missingUsd = costUsd === null && this.#credit ? this.#growsToUsd - this.#credit.usd : 0
    if (missingUsd > 0) await this.#credit!.extend({ atLeast: 0, atMost: missingUsd })
    await this.#tokens?.settle(usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.output)
    await this.#credit?.settle(costUsd === null ? this.#credit.usd : costUsd + this.#lostUsd)
    this.#freed()
  }

  /** Call if there is no answer. The known cost of failed attempts is still charged. */
  async release(): Promise<void> {
    await this.#tokens?.release()
    if (this.#lostUsd > 0) await this.#credit?.settle(this.#lostUsd)
    else await this.#credit?.release()
    this.#freed()
  }

  #freed(): void {
    const { caller } = this.#context
    if (this.#credit && caller.spending) this.#services.freed(caller.spending, caller)
  }

  /** `outputLimit`: what the provider is asked for. Once that is held, the provider itself keeps to it. */
  #allowance(endpoint: Endpoint, stepTokens: number, outputLimit: number | undefined): Allowance {
    let spend = this.#spendAt(endpoint)!
    const missingUsd = (): number => (outputLimit === undefined ? spend.maxUsd : costWith(outputLimit, spend)) - this.#leftUsd
    let shortage: CreditShortage | undefined
    return new Allowance({
      counter: this.#services.counter,
      tokenizer: endpoint.tokenizer,
      stepTokens,
      isSure: () => this.#credit!.isSure !== false,
      isHeld: () => isStillHeld(this.#credit!),
      paidTokens: () => (covers(0, missingUsd()) ? Infinity : outputTokensFor(this.#leftUsd, spend)),
      extend: async (tokens, atLeast) => {
        const { outputTokenUsd } = spend
        const range = { atLeast: Math.min(missingUsd(), atLeast * outputTokenUsd), atMost: Math.min(missingUsd(), tokens * outputTokenUsd) }
        try {
          const extended = await this.#credit!.extend(range)
          if (extended === true) return true
          shortage = extended
        } catch (error) {
          this.#context.log.error('could not raise the hold of an answer', { request: this.#context.id, ...describeError(error) })
        }
        const paidBefore = outputTokensFor(this.#leftUsd, spend)
        await this.#countInput(endpoint)
        spend = this.#spendAt(endpoint)!
        return outputTokensFor(this.#leftUsd, spend) >= paidBefore + atLeast
      },
      ended: () => {
        // The request's own hold is not in its way.
        if (shortage) this.#services.short(this.#context, { ...shortage, heldUsd: Math.max(0, shortage.heldUsd - this.#credit!.usd) })
      },
    })
  }

  /** Input that is held by its bytes takes several times what it costs. */
  async #countInput({ tokenizer, contextWindow }: Endpoint): Promise<void> {
    const need = this.#need
    if (this.#inputTokens < inputBound(need)) return
    const counted = await safeCount(
      this.#services.counter,
      tokenizer,
      need.texts,
      contextWindow === undefined ? {} : { limit: contextWindow },
    ).catch(() => undefined)
    if (counted !== undefined && need === this.#need) this.#inputTokens = Math.min(this.#inputTokens, counted + need.otherInputTokens)
  }

  async #extend(range: CreditRange): Promise<true | CreditShortage> {
    try {
      return await this.#credit!.extend(range)
    } catch (cause) {
      throw ledgerUnavailable(cause)
    }
  }

  get #leftUsd(): number {
    return Math.max(0, this.#credit!.usd - this.#goneUsd)
  }

  /** The spend at an endpoint. Undefined if nothing is held for it: there is no cap, or the endpoint has no price. */
  #spendAt(endpoint: Endpoint): Spend | undefined {
    if (!this.#credit || !endpoint.price) return undefined
    return spendAt(endpoint, endpoint.price, this.#need, this.#inputTokens)
  }
}
