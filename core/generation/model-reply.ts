import type { Attempt } from '../call/attempts/attempt.ts'
import type { Failures } from '../call/attempts/failures.ts'
import type { Line } from '../call/attempts/line.ts'
import type { AttemptWork } from '../call/attempts/work.ts'
import { noUsage, type FinishReason, type TokenUsage } from '../contracts/events.ts'
import type { ProviderFailure, SlowStream } from '../contracts/provider.ts'
import type { GenerationSink } from '../contracts/route.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { Masks } from '../foundation/masks.ts'
import type { Allowance } from '../limits/allowance.ts'
import { holdLost } from '../limits/hold-lost.ts'
import type { Cover, Reservation } from '../limits/reservation.ts'
import type { SureHold } from '../limits/sure-hold.ts'
import type { Candidate } from '../routing/plan.ts'
import type { Maybe } from '../runtime/pending.ts'
import { estimateInput } from '../tokens/estimate.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import type { Answer } from './answer.ts'
import { askProvider, type ProviderQuestion } from './ask.ts'
import { billableUsage, withinLimit } from './billable-usage.ts'
import { payFor, type UnpaidEvent } from './paid-event.ts'
import { maskedExtra } from './masked-extra.ts'
import { isAnswering, type RaisedEvent } from './raised-event.ts'
import { keepPace, readWhole } from './reading-ahead.ts'
import { ReplyCost, type CostScope } from './reply-cost.ts'

export interface ModelReplyParts extends CostScope, ProviderQuestion {
  /** For a streamed reply. */
  readonly slowStream: SlowStream | undefined
  /** The hold for it. */
  readonly cover: Cover | undefined
  /** The candidates that could be asked instead of a slow stream. */
  readonly line: Pick<Line, 'isEmpty'>
  readonly failures: Failures
  readonly masks: Masks
}

/** The destination of a reply. */
export type Heard = Pick<Answer, 'write' | 'pause'>

/** One try at a candidate: asks its provider, and reads its reply to the end. */
export class ModelReply implements AttemptWork<RaisedEvent, Candidate, ModelReply> {
  readonly #parts: ModelReplyParts
  #attempt: Attempt<RaisedEvent> | undefined
  #cost: ReplyCost | undefined
  /** The first semantic event. */
  #first: RaisedEvent | undefined
  #headTaken = 0
  #finish: FinishReason | undefined
  #isOver = false
  /** Received, but not paid for yet. */
  #unpaid: UnpaidEvent | undefined
  /** True if the credit covers no more output. */
  #isCut = false

  constructor(parts: ModelReplyParts) {
    this.#parts = parts
  }

  get attempt(): Attempt<RaisedEvent> {
    return this.#attempt!
  }

  /** Those that this reply gives. */
  get choices(): number {
    return this.#parts.request.choices ?? 1
  }

  get cover(): Cover | undefined {
    return this.#parts.cover
  }

  get reservation(): Reservation | undefined {
    return this.#parts.reservation
  }

  /** Asks the provider, and reads up to the first semantic event. At once if the provider has answered already. */
  run(attempt: Attempt<RaisedEvent>): Maybe<ModelReply> {
    this.#attempt = attempt
    askProvider(this.#parts, attempt)
    const reading = attempt.inbox.flow(event => this.#open(event, attempt))
    return reading ? reading.then(() => this.#opened(attempt)) : this.#opened(attempt)
  }

  /** Vendors may bill attempts that failed, too. */
  usageOf({ head, candidate, outputLimit }: Attempt<RaisedEvent>): TokenUsage | undefined {
    const { context, providers } = this.#parts
    const last = head.findLast(event => event.type === 'usage')
    const usage = last && billableUsage(last.usage, context, candidate.provider.id, providers)
    return usage && withinLimit(usage, outputLimit)
  }

  lossOf(attempt: Attempt<RaisedEvent>): TokenUsage {
    return this.usageOf(attempt) ?? { ...noUsage, uncachedInput: estimateInput(this.#parts.request), estimated: true }
  }

  /** The finish reason, once the reply is complete. */
  get finish(): FinishReason | undefined {
    return this.#finish
  }

  /** The latest usage that the provider reported, if it can be billed. */
  get usage(): TokenUsage | undefined {
    return this.#cost!.usage(this.#isComplete)
  }

  /** True if the reply ended early, because the credit covered no more output. */
  get isCut(): boolean {
    return this.#isCut
  }

  get isBilled(): boolean {
    return this.#cost!.isBilled
  }

  /** True once the provider has reported usage or the model has said something. */
  get hasCost(): boolean {
    return this.usage !== undefined || this.#cost!.hasSaid
  }

  /** Adds the reply to the bill. Returns US dollars, null if unknown. At once if nothing has to be counted. */
  bill(): Maybe<number | null> {
    return this.#cost!.bill(this.#isComplete, this.#finish !== undefined)
  }

  /** The next event, if it has arrived already. */
  take(): RaisedEvent | undefined {
    const { head, inbox } = this.attempt
    if (this.#isAtCut) return undefined
    for (;;) {
      const event = this.#headTaken < head.length ? head[this.#headTaken++] : inbox.take()
      if (!event || this.#accept(event)) return event
    }
  }

  /** Waits for the next event. Undefined at the end. Throws when the reply ends before its finish. */
  async next(): Promise<RaisedEvent | undefined> {
    const { attempt } = this
    if (this.#isOver) return undefined
    // Some providers report the usage after the finish.
    this.#isOver = this.#finish !== undefined
    const event = this.#isOver ? await attempt.last() : await attempt.inbox.next()
    if (!event && !this.#isOver) throw cutShort(attempt.candidate.provider.id)
    return !event || this.#accept(event) ? event : this.take()
  }

  /**
   * Writes the whole reply to the answer. While the client is slow, nothing is read and the attempt's timers stand still. Undefined if all
   * of the reply has arrived already, and nothing was slow.
   */
  relay(answer: Heard, sink: GenerationSink): Promise<void> | undefined {
    const write = (event: RaisedEvent): boolean => {
      if (isContent(event)) answer.write(event.type === 'extra' ? maskedExtra(event, this.#parts.masks) : event)
      return !sink.full
    }
    const flowing = this.#flow(write)
    const ending = flowing || this.#finish === undefined ? this.#relaySlowly(flowing, sink, write) : this.#rest(write)
    const end = (): void => {
      if (this.#finish === 'pause') answer.pause()
    }
    if (ending) return ending.then(end)
    end()
    return undefined
  }

  /** The whole reply was read, or as much as the credit covered. */
  end(): void {
    this.attempt.end(this.#isCut ? 'left' : 'ok', this.usage)
  }

  /** Ends a reply that nobody reads any longer. The output so far is billed. */
  leave(): Maybe<unknown> {
    if (this.isBilled) return undefined
    this.attempt.end('left', this.usage)
    return this.hasCost ? this.bill() : undefined
  }

  /** Reads what has arrived, so that it counts in the memory. Throws the caller's error. */
  collect(): void {
    const { head, inbox } = this.attempt
    try {
      for (let event = inbox.take(); event; event = inbox.take()) head.push(event)
    } catch (error) {
      throw this.fail(error)
    }
  }

  /** Takes all that has arrived, without waiting. Passes the texts to `hear`. */
  drain(hear: (text: string) => void): void {
    for (let event = this.take(); event; event = this.take()) if ('text' in event) hear(event.text)
  }

  /** The caller's error for a failure while reading the reply. Rethrows the reason if the caller or a timeout aborted the operation. */
  fail(error: unknown): GatewayError {
    const { failures, context } = this.#parts
    const failure = failures.failureOf(error, this.attempt.candidate, context)
    this.attempt.end(failure, this.usage)
    return this.publicError(failure)
  }

  publicError(failure: ProviderFailure): GatewayError {
    return this.#parts.failures.publicError(failure, this.attempt.candidate)
  }

  /** False at the first semantic event. */
  #open(event: RaisedEvent, attempt: Attempt<RaisedEvent>): boolean {
    if (event.type === 'warning') attempt.warnings.push({ param: event.param, message: event.message })
    else attempt.head.push(event)
    if (!isAnswering(event)) return true
    attempt.commit()
    this.#first = event
    return false
  }

  #opened(attempt: Attempt<RaisedEvent>): Maybe<ModelReply> {
    if (!this.#first) throw cutShort(attempt.candidate.provider.id)
    const { sureHold } = this.#parts.cover ?? {}
    if (!sureHold || sureHold.isSure) return this.#begun(attempt, this.#first)
    return this.#stillHeld(attempt, this.#first, sureHold)
  }

  /** The gateway may have stood still since it asked, and others may have been given the hold. */
  async #stillHeld(attempt: Attempt<RaisedEvent>, first: RaisedEvent, sureHold: SureHold): Promise<ModelReply> {
    if (!(await attempt.pauseFor(sureHold.more()))) throw holdLost()
    return await this.#begun(attempt, first)
  }

  #begun(attempt: Attempt<RaisedEvent>, first: RaisedEvent): Maybe<ModelReply> {
    const { slowStream, line, request } = this.#parts
    this.#cost = new ReplyCost(this.#parts, attempt)
    if (attempt.isStreamed && !request.stream) return this.#readWhole(attempt, first)
    return slowStream && !line.isEmpty ? keepPace(attempt, first, slowStream).then(() => this) : this
  }

  /** If the caller leaves, or the gateway ends, the output so far is the reply, which is charged like an abandoned stream. */
  async #readWhole(attempt: Attempt<RaisedEvent>, first: RaisedEvent): Promise<ModelReply> {
    try {
      this.#isCut = !(await readWhole(attempt, first))
    } catch (error) {
      if (!this.#parts.context.signal.aborted) throw error
    }
    return this
  }

  async #relaySlowly(flowing: Promise<void> | undefined, sink: GenerationSink, write: (event: RaisedEvent) => boolean): Promise<void> {
    const { attempt } = this
    for (let next = flowing; ; next = this.#flow(write)) {
      if (next) await next
      if (this.#finish !== undefined) break
      attempt.pause()
      if (this.#unpaid) await attempt.unlessAborted(this.#payMore(this.#unpaid))
      if (sink.full) await attempt.unlessAborted(sink.drained())
      attempt.resume()
    }
    await this.#rest(write)
  }

  /** Pays for more of the output. If nothing is left, the reply ends here. */
  async #payMore({ text }: UnpaidEvent): Promise<void> {
    if (await this.#paying!.more(text)) return
    this.#unpaid = undefined
    this.#headTaken = this.attempt.head.length
    this.#isCut = this.#isOver = true
    this.#finish = 'length'
  }

  /**
   * Passes events to `write` as they arrive, until the finish, or until `write` returns false. Undefined if that is the case at once.
   * Throws when the reply ends before its finish.
   */
  #flow(write: (event: RaisedEvent) => boolean): Promise<void> | undefined {
    const { head, inbox } = this.attempt
    if (this.#isAtCut) return undefined
    // A plain reply is paid for already.
    const paying = this.#parts.request.stream ? this.#paying : undefined
    const pass = paying
      ? (event: RaisedEvent) => this.#pay(event, paying, write) && this.#finish === undefined
      : (event: RaisedEvent) => (this.#accept(event) ? write(event) : true) && this.#finish === undefined
    const unpaid = this.#unpaid
    if (unpaid && !pass(unpaid)) return undefined
    while (this.#headTaken < head.length) if (!pass(head[this.#headTaken++]!)) return undefined
    const flowing = inbox.flow(pass)
    if (flowing) return flowing.then(() => this.#checkEnd())
    this.#checkEnd()
    return undefined
  }

  /** Writes as much of the event as is paid for, and keeps the rest. */
  #pay(event: RaisedEvent, allowance: Paying, write: (event: RaisedEvent) => boolean): boolean {
    this.#unpaid = undefined
    if (!this.#accept(event)) return true
    const { paid, rest } = payFor(event, allowance)
    this.#unpaid = rest
    const goesOn = !paid || write(paid)
    return goesOn && !rest
  }

  /** Passes what follows the finish to `write`. Undefined if the reply is over. */
  #rest(write: (event: RaisedEvent) => boolean): Promise<void> | undefined {
    for (let event = this.take(); event; event = this.take()) write(event)
    return this.#isOver || this.#isCut || this.attempt.inbox.isOver ? undefined : this.#late(write)
  }

  async #late(write: (event: RaisedEvent) => boolean): Promise<void> {
    for (let event = await this.next(); event; event = this.take() ?? (await this.next())) write(event)
  }

  #checkEnd(): void {
    if (this.#finish === undefined && !this.#unpaid && this.attempt.inbox.isOver) throw cutShort(this.attempt.candidate.provider.id)
  }

  /** After the finish, only the usage counts. */
  #accept(event: RaisedEvent): boolean {
    const isAfterFinish = this.#finish !== undefined
    if (isAfterFinish) this.#isOver = true
    if (event.type === 'usage') this.#cost!.report(event.usage)
    else if (isAfterFinish) return false
    else if (event.type === 'finish') this.#finish = event.reason
    return true
  }

  get #paying(): Paying | undefined {
    return this.attempt.allowance ?? this.#parts.cover?.sureHold
  }

  get #isAtCut(): boolean {
    return this.#isCut && this.#headTaken === this.attempt.head.length
  }

  get #isComplete(): boolean {
    return this.#finish !== undefined && !this.#isCut
  }
}

type Paying = Pick<Allowance, 'take' | 'more' | 'reported'>

function isContent({ type }: RaisedEvent): boolean {
  return type !== 'usage' && type !== 'finish' && type !== 'model' && type !== 'warning'
}
