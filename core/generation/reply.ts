import type { Attempt } from '../call/attempts/attempt.ts'
import type { Failover } from '../call/attempts/failover.ts'
import type { Allowance } from '../limits/allowance.ts'
import { soundUsage } from '../billing/cost.ts'
import type { Reservation } from '../limits/reservation.ts'
import { needOf, type TokenNeed } from '../billing/token-need.ts'
import type { UnreportedUsage } from '../billing/unreported-usage.ts'
import type { FinishReason, TokenUsage } from '../contracts/events.ts'
import type { Provider, ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { Registry } from '../framework/registry.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import { isChecked } from './lowering/format.ts'
import { showsProgress } from './lowering/progress.ts'
import type { CallScope } from './model-call.ts'
import { payFor, type UnpaidEvent } from './paid-event.ts'
import type { RaisedEvent } from './raised-event.ts'
import { billableUsage, withinLimit } from './billable-usage.ts'

/** A report of fewer tokens than this makes plausible was not of the whole reply. */
const mostCharactersPerToken = 8
const framingCharacters = 64

export interface ReplyParts {
  readonly attempt: Attempt<RaisedEvent>
  readonly request: GenerationRequest
  readonly scope: Pick<CallScope, 'operation' | 'context' | 'said'>
  readonly failover: Failover
  /** Names the plugin of a provider. */
  readonly providers: Pick<Registry<Provider>, 'pluginOf'>
  readonly unreported: UnreportedUsage
  readonly reservation: Reservation | undefined
}

/** A provider's reply to one request, from its first semantic event to its end, and what it costs. */
export class Reply {
  readonly attempt: Attempt<RaisedEvent>
  readonly #parts: ReplyParts
  /** How much of the answer was there before. */
  readonly #saidBefore: number
  #headTaken = 0
  #hasUsage = false
  #usage: TokenUsage | undefined
  /** `#usage` made plausible, once someone has asked for it. */
  #sound: TokenUsage | undefined
  #isChecked = false
  /** How much of the answer was there when `#usage` came. */
  #saidAtUsage = 0
  /** Of the reports before `#usage`. */
  #mostOutput = 0
  #finish: FinishReason | undefined
  #isOver = false
  #isBilled = false
  /** Received, but not paid for yet. */
  #unpaid: UnpaidEvent | undefined
  /** Nothing more could be paid for. */
  #isCut = false

  constructor(parts: ReplyParts) {
    this.attempt = parts.attempt
    this.#parts = parts
    this.#saidBefore = parts.scope.said.characters
    this.#isCut = parts.attempt.isCut
  }

  /** Returns undefined until the reply is complete. */
  get finish(): FinishReason | undefined {
    return this.#finish
  }

  /**
   * The latest usage that the provider reported, if it can be billed. Some providers report it with every piece of text. Until the reply
   * has ended, it has at most the output that the provider was allowed.
   */
  get usage(): TokenUsage | undefined {
    if (!this.#hasUsage) return undefined
    if (!this.#isChecked) {
      const { providers, scope } = this.#parts
      this.#isChecked = true
      this.#sound = billableUsage(this.#usage, scope.context, this.attempt.candidate.provider.id, providers)
    }
    return this.#sound && !this.#isComplete ? withinLimit(this.#sound, this.attempt.outputLimit) : this.#sound
  }

  get isBilled(): boolean {
    return this.#isBilled
  }

  /** True after `flow` if it stopped because the next event is not paid for. */
  get hasUnpaid(): boolean {
    return this.#unpaid !== undefined
  }

  /** Pays for more of the output. If nothing is left, the reply ends here. */
  async payMore(): Promise<void> {
    if (await this.attempt.allowance!.more(this.#unpaid!.text)) return
    this.#unpaid = undefined
    this.#headTaken = this.attempt.head.length
    this.#isCut = this.#isOver = true
    this.#finish = 'length'
  }

  /** The next event, if it has arrived already. */
  take(): RaisedEvent | undefined {
    const { attempt } = this
    if (this.#isAtCut) return undefined
    for (;;) {
      const event = this.#headTaken < attempt.head.length ? attempt.head[this.#headTaken++] : attempt.take()
      if (!event || this.#accept(event)) return event
    }
  }

  /** Waits for the next event. Undefined at the end. Throws when the reply ends before its finish. */
  async next(): Promise<RaisedEvent | undefined> {
    const { attempt } = this
    if (this.#isOver) return undefined
    // Some providers report the usage after the finish.
    this.#isOver = this.#finish !== undefined
    const event = this.#isOver ? await attempt.last() : await attempt.next()
    if (!event && !this.#isOver) throw cutShort(attempt.candidate.provider.id)
    return !event || this.#accept(event) ? event : this.take()
  }

  /**
   * Passes events to `write` as they arrive, until the finish, or until `write` returns false. Undefined if that is the case at once.
   * Throws when the reply ends before its finish.
   */
  flow(write: (event: RaisedEvent) => boolean): Promise<void> | undefined {
    const { attempt } = this
    if (this.#isAtCut) return undefined
    // A plain reply is paid for already.
    const allowance = this.#parts.request.stream ? attempt.allowance : undefined
    const pass = allowance
      ? (event: RaisedEvent) => this.#pay(event, allowance, write)
      : (event: RaisedEvent) => (this.#accept(event) ? write(event) : true)
    const unpaid = this.#unpaid
    if (unpaid && !pass(unpaid)) return undefined
    while (this.#headTaken < attempt.head.length) {
      const event = attempt.head[this.#headTaken++]!
      if (!pass(event) || this.#finish !== undefined) return undefined
    }
    const flowing = attempt.flow(event => pass(event) && this.#finish === undefined)
    if (flowing) return flowing.then(() => this.#checkEnd())
    this.#checkEnd()
    return undefined
  }

  /** Writes as much of the event as is paid for, and keeps the rest. */
  #pay(event: RaisedEvent, allowance: Allowance, write: (event: RaisedEvent) => boolean): boolean {
    this.#unpaid = undefined
    if (!this.#accept(event)) return true
    const { paid, rest } = payFor(event, allowance)
    this.#unpaid = rest
    const goesOn = !paid || write(paid)
    return goesOn && !rest
  }

  get #isAtCut(): boolean {
    return this.#isCut && this.#headTaken === this.attempt.head.length
  }

  /** Passes what follows the finish to `write`. Undefined if the reply is over. */
  rest(write: (event: RaisedEvent) => void): Promise<void> | undefined {
    for (let event = this.take(); event; event = this.take()) write(event)
    return this.#isOver || this.#isCut || this.attempt.isOver ? undefined : this.#late(write)
  }

  async #late(write: (event: RaisedEvent) => void): Promise<void> {
    for (let event = await this.next(); event; event = this.take() ?? (await this.next())) write(event)
  }

  /** The whole reply was read, or as much as could be paid for. */
  end(): void {
    this.attempt.end(this.#isCut ? 'left' : 'ok', this.usage)
  }

  /** What the caller gets for an error while the reply was read. Rethrows the reason if the caller or a time-out aborted the operation. */
  fail(error: unknown): GatewayError {
    const { failover, scope } = this.#parts
    const failure = failover.failureOf(error, this.attempt.candidate, scope.context)
    this.attempt.end(failure, this.usage)
    return this.publicError(failure)
  }

  publicError(failure: ProviderFailure): GatewayError {
    return this.#parts.failover.publicError(failure, this.attempt.candidate)
  }

  /** True once the provider has reported usage or the model has said something. */
  get hasCost(): boolean {
    return this.usage !== undefined || this.#parts.scope.said.characters > this.#saidBefore
  }

  /**
   * Adds the reply to the operation's bill: the reported usage and, if that is not all, what was said since. Returns US dollars, null if
   * unknown. At once if nothing has to be counted.
   */
  bill(): Maybe<number | null> {
    this.#isBilled = true
    const { operation } = this.#parts.scope
    const { price } = this.attempt.candidate.endpoint
    const { usage } = this
    if (usage && this.#isCounted) {
      if (this.#finish !== undefined) this.#note(usage)
      return operation.bill.add(usage, price)
    }
    return operation.owe(this.#counted(usage).then(counted => operation.bill.add(counted, price)))
  }

  get #isComplete(): boolean {
    return this.#finish !== undefined && !this.#isCut
  }

  /** Usage counts what had been said by then. That of a complete reply counts all of it, unless it came first and is too little. */
  get #isCounted(): boolean {
    const isComplete = this.#isComplete
    if (isComplete && this.#saidAtUsage > this.#saidBefore) return true
    const { request, scope } = this.#parts
    const since = scope.said.characters - this.#saidAtUsage
    if (since === 0) return true
    // An answer that was held back to check its format follows its usage.
    const isHeld = isChecked(request, this.attempt.candidate)
    return isComplete && (isHeld || since <= this.usage!.output * mostCharactersPerToken + framingCharacters)
  }

  /** The next hold for this model is as large as its answers usually are. */
  #note(usage: TokenUsage): void {
    const { reservation, request, scope } = this.#parts
    const { candidate } = this.attempt
    if (reservation && showsProgress(request, candidate) !== false)
      reservation.replied(candidate.endpoint, usage, scope.said.textsAfter(this.#saidBefore))
  }

  async #counted(reported: TokenUsage | undefined): Promise<TokenUsage> {
    const { request, scope, unreported } = this.#parts
    const { maxOutputTokens, outputLimit, candidate } = this.attempt
    const input = (): TokenNeed => needOf(request)
    const said = scope.said.textsAfter(reported ? this.#saidAtUsage : this.#saidBefore)
    const least = Math.max(reported?.output ?? 0, Math.min(this.#mostOutput, outputLimit))
    // That of a complete reply counts its words, even if it came before them.
    const isEarly = this.#isComplete && this.#saidAtUsage === this.#saidBefore
    const base = reported && soundUsage({ ...reported, output: isEarly ? 0 : least })
    const usage = await unreported.of({ input, endpoint: candidate.endpoint, reported: base, said, maxOutputTokens })
    return soundUsage({ ...usage, output: Math.max(usage.output, least) })
  }

  #checkEnd(): void {
    if (this.#finish === undefined && !this.#unpaid && this.attempt.isOver) throw cutShort(this.attempt.candidate.provider.id)
  }

  /** After the finish, only the usage counts. */
  #accept(event: RaisedEvent): boolean {
    const isAfterFinish = this.#finish !== undefined
    if (isAfterFinish) this.#isOver = true
    if (event.type === 'usage') {
      const before = this.#usage?.output
      if (Number.isFinite(before) && before! > this.#mostOutput) this.#mostOutput = before!
      this.#hasUsage = true
      this.#usage = event.usage
      this.#isChecked = false
      this.#saidAtUsage = this.#parts.scope.said.characters
    } else if (isAfterFinish) return false
    else if (event.type === 'finish') this.#finish = event.reason
    return true
  }
}
