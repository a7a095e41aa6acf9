import type { Clock, Logger } from '../../../core/index.ts'
import { describeError, RepeatedError, type HttpClient } from '../../../core/kit.ts'
import type { AlertOutbox, AlertStore, AlertTry, TakenMessage } from '../../../core/stores.ts'
import { Lanes } from './lanes.ts'
import { letterOf } from './letters.ts'
import { post, type Posted } from './post.ts'
import type { Recipients } from './recipients.ts'
import { giveUpMs, waitAfter } from './waits.ts'

/** A process that took a message has so long to send it. Then another one may. */
const takenMs = 30_000
/** With less time left, it does not begin. */
const leastLeftMs = 15_000
const lookEveryMs = 10_000
const expireEveryMs = 3_600_000
/** So many messages may wait here for their turn before more are taken. */
const maxUnderWay = 200
/** Of them to one target, so that one that hangs leaves room for others. More than a target may get in an hour. */
const maxInLane = 25
/** One that does not fit comes again after so long. */
const fullMs = 5_000
/** A target that failed gets no other message for so long: less than the first wait before a retry. */
const restMs = 3_000

export interface SenderParts {
  readonly outbox: AlertOutbox
  readonly alerts: AlertStore
  readonly recipients: Recipients
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Logger
  /** From 0 to 1. */
  readonly random: () => number
  /** How long a target may take to answer. */
  readonly timeoutMs?: number
}

/** Sends messages that are due, one after the other to each target. Any process may make the next try, with the same `webhook-id`. */
export class Sender {
  readonly #parts: SenderParts
  readonly #failing: RepeatedError
  readonly #stopping = new AbortController()
  /** By target. */
  readonly #lanes = new Lanes()
  /** Until when a target that failed gets nothing, on `Clock.elapsed`. */
  readonly #rests = new Map<string, number>()
  #taking: Promise<void> | undefined
  #isWoken = false
  #timers: readonly NodeJS.Timeout[] | undefined

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#failing = new RepeatedError(parts.log, 'could not reach the store of messages to the targets of alerts; retrying')
  }

  start(): void {
    if (this.#stopping.signal.aborted) return
    this.#timers ??= [setInterval(() => this.wake(), lookEveryMs).unref(), setInterval(() => void this.#expire(), expireEveryMs).unref()]
    this.wake()
  }

  /** Sends what is due, once it has started. Never throws. */
  wake(): void {
    if (!this.#timers || this.#stopping.signal.aborted) return
    this.#isWoken = true
    this.#taking ??= this.#takeAll().finally(() => {
      this.#taking = undefined
      if (this.#isWoken && this.#lanes.total < maxUnderWay) this.wake()
    })
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#taking || this.#lanes.total > 0) await Promise.all([this.#taking, this.#lanes.ended()])
  }

  /** Messages under way are left to another process, or the next start. */
  async stop(): Promise<void> {
    for (const timer of this.#timers ?? []) clearInterval(timer)
    this.#isWoken = false
    this.#stopping.abort(new Error('the gateway stops'))
    await this.idle()
  }

  async #takeAll(): Promise<void> {
    const { outbox, recipients, clock } = this.#parts
    while (this.#isWoken && this.#lanes.total < maxUnderWay) {
      this.#isWoken = false
      try {
        const until = clock.elapsed() + takenMs
        const taken = await outbox.take([...recipients.operators.keys()], takenMs)
        if (taken.length > 0) this.#isWoken = true
        for (const each of taken) await this.#line(each, until)
      } catch (error) {
        return this.#failing.report(describeError(error))
      }
    }
  }

  /** Puts a message behind the others to its target. */
  async #line(taken: TakenMessage, until: number): Promise<void> {
    const { target } = taken.message
    if (this.#lanes.lengthOf(target) >= maxInLane) return await this.#putBack(taken, fullMs)
    this.#lanes.run(target, async () => {
      await this.#send(taken, until).catch(error => this.#failing.report(describeError(error)))
      if (this.#isWoken) this.wake()
    })
  }

  async #send(taken: TakenMessage, until: number): Promise<void> {
    const { outbox, clock, recipients, alerts, http, log, timeoutMs } = this.#parts
    const { message } = taken
    const { signal } = this.#stopping
    const left = until - clock.elapsed()
    const rest = (this.#rests.get(message.target) ?? 0) - clock.elapsed()
    if (signal.aborted || left < leastLeftMs) return await this.#putBack(taken, 0)
    if (rest > 0) return await this.#putBack(taken, rest)
    const recipient = await recipients.find(message.target)
    if (!recipient || recipient.disabled)
      return await this.#settle(taken, { outcome: 'failed', failure: recipient ? 'the target is disabled' : 'the target was deleted' })
    const body = await letterOf(message, recipient, alerts)
    if (body === undefined) return await this.#settle(taken, { outcome: 'failed', failure: 'the alert is not stored any more' })
    const letter = { id: message.id, body, seconds: Math.floor(clock.now() / 1000) }
    const posted = await post(http, recipient, letter, signal, timeoutMs).catch(() => undefined)
    if (!posted) return await this.#putBack(taken, 0)
    if (posted.isDelivered) return await this.#settle(taken, { outcome: 'delivered' })
    const fields = { target: message.target, name: recipient.name, alertMessage: message.id, tries: message.tries }
    if (posted.isGone) {
      log.warn('a target of alerts wants no more (410 Gone), so it gets none until a test succeeds', fields)
      return await outbox.end(message.target, posted.failure!)
    }
    const result = this.#failed(taken, posted)
    const reason = posted.failure
    if (result.outcome === 'failed')
      log.error('gave up an alert that could not be delivered; see turnpike alerts messages --failed', { ...fields, reason })
    else log.warn('could not deliver an alert; trying again', { ...fields, reason })
    await this.#settle(taken, result)
    // Other processes hear of it so.
    if (posted.isUnavailable) await outbox.postpone(message.target, restOf(posted))
  }

  /** Not tried: it is due again. */
  async #putBack(taken: TakenMessage, dueInMs: number): Promise<void> {
    await this.#settle(taken, { outcome: 'putOff', dueInMs: Math.ceil(dueInMs), counts: false })
    if (dueInMs > 0) this.#wakeIn(dueInMs)
  }

  #failed({ message, ageMs }: TakenMessage, posted: Posted): AlertTry {
    const { clock, random } = this.#parts
    const { failure, retryAfterMs } = posted
    if (posted.isUnavailable) this.#rest(message.target, clock.elapsed() + restOf(posted))
    const dueInMs = waitAfter(message.tries, ageMs, retryAfterMs, random)
    if (dueInMs === undefined) return { outcome: 'failed', failure: failure! }
    this.#wakeIn(dueInMs)
    return { outcome: 'putOff', dueInMs, failure: failure!, counts: true }
  }

  #rest(target: string, until: number): void {
    const now = this.#parts.clock.elapsed()
    for (const [other, ends] of this.#rests) if (ends <= now) this.#rests.delete(other)
    this.#rests.set(target, until)
  }

  async #settle({ message, fence }: TakenMessage, result: AlertTry): Promise<void> {
    await this.#parts.outbox.settle(message.id, fence, result)
  }

  /** Later ones wait for the next look. */
  #wakeIn(milliseconds: number): void {
    if (milliseconds < lookEveryMs) setTimeout(() => this.wake(), milliseconds + 1).unref()
  }

  async #expire(): Promise<void> {
    try {
      await this.#parts.outbox.expire(giveUpMs + lookEveryMs)
    } catch (error) {
      this.#failing.report(describeError(error))
    }
  }
}

function restOf({ retryAfterMs = 0 }: Posted): number {
  return Math.max(restMs, retryAfterMs)
}
