import { holdLost } from '../limits/hold-lost.ts'
import type { Reservation } from '../limits/reservation.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import { isNoUsage } from '../contracts/events.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Clock } from '../foundation/clock.ts'
import { Deadline } from '../runtime/deadline.ts'
import { asGatewayError, GatewayError, type Asked } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import type { Maybe } from '../runtime/pending.ts'
import { Bill } from '../billing/cost.ts'
import { routingWarnings } from '../routing/routing-record.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { describeError } from '../foundation/logger.ts'

/** The most endpoints that a warning about unasked endpoints names. */
const maxNamed = 8

/** The common parts of generations and decisions: a time limit, reservations, a bill, and a record. */
export class Operation {
  readonly context: RunContext
  /** Without the model calls of a decision, each of which is settled when it ends. */
  readonly bill = new Bill()
  readonly #scope: RequestScope
  readonly #timeout: Deadline
  readonly #clock: Clock
  #reservation: Reservation | undefined
  /** The cost of a decision's model calls. */
  #calls: Bill | undefined
  /** Amounts that are not on the bill yet. */
  #owed: Promise<unknown>[] | undefined
  #leave: (() => void) | undefined
  #endpoint: Endpoint | undefined
  #isGiven = false

  constructor(scope: RequestScope, requestedModel: string | null, timeoutMs: number, clock: Clock) {
    this.#scope = scope
    this.#clock = clock
    this.context = scope
    scope.record.requestedModel = requestedModel
    this.#timeout = new Deadline(clock, timeoutMs, () => scope.cancellation.abort(tookTooLong(timeoutMs)))
  }

  /** Sets the reservation to settle at the end. */
  hold(reservation: Reservation | undefined): void {
    this.#reservation = reservation
    if (reservation) this.watch(reservation)
  }

  /** Ends the operation if its hold is lost before it is settled. */
  watch(reservation: Reservation): void {
    reservation.onLost(() => {
      const { cancellation } = this.#scope
      if (cancellation.aborted) return
      this.context.note('credit', { lost: true })
      cancellation.abort(holdLost())
    })
  }

  /** Adds the bill of a model call that the caller of this function settles. */
  addCall(bill: Bill): void {
    ;(this.#calls ??= new Bill()).include(bill)
  }

  /** The bill with all model calls. */
  get total(): Pick<Bill, 'usage' | 'costUsd'> {
    if (!this.#calls) return this.bill
    const total = new Bill()
    total.include(this.#calls)
    total.include(this.bill)
    return total
  }

  /** In US dollars, what the request is charged so far: failed attempts with a known cost count, too. Null if unknown. */
  get costUsd(): number | null {
    const { costUsd } = this.#calls ? this.total : this.bill
    return costUsd === null ? null : costUsd + this.#scope.record.lostUsd
  }

  /** Waits for the promise before the bill is settled. */
  owe<T>(adding: Promise<T>): Promise<T> {
    ;(this.#owed ??= []).push(adding)
    return adding
  }

  /** Sets what to call when the operation is over. */
  onEnd(leave: (() => void) | undefined): void {
    this.#leave = leave
  }

  /** Call when the answer begins. From then on, it is charged. */
  answeredBy(endpoint: Endpoint): void {
    this.#endpoint = endpoint
    this.#begin()
    this.#scope.record.provider = endpoint.provider
    this.#scope.record.model = endpoint.model
  }

  /** Call instead of `answeredBy` if no endpoint was asked: the answer costs nothing. */
  answeredFree(): void {
    this.#isGiven = true
    this.#begin()
  }

  #begin(): void {
    const { record } = this.#scope
    record.firstEventMs ??= this.#clock.elapsed() - record.start
  }

  /** The error that the caller gets: what was thrown or, after an abort, the reason of the abort. */
  failed(thrown: unknown): GatewayError {
    const { cancellation, record } = this.#scope
    const error = asGatewayError(cancellation.aborted ? cancellation.reason : thrown)
    if (error.status === 500)
      this.context.log.error('a request to a model failed', { request: this.context.id, ...describeError(error.cause ?? error) })
    record.failed(error, true)
    return record.attempts.length === 0 ? error : error.after(askedIn(record))
  }

  /**
   * Charges what was delivered, even if the client left early, and releases the rest of the reservations. Does nothing the second time.
   * Call it before the client hears that the answer is complete, so that a crash cannot make an answer free.
   */
  settle(failed: boolean): Maybe<void> {
    if (this.#owed) return this.#allBilled().then(() => this.settle(failed))
    const reservation = this.#reservation
    if (!reservation) return
    this.#reservation = undefined
    return this.pay(reservation, this.bill, failed)
  }

  /** Call when the client got the answer. */
  end(failed: boolean): Maybe<void> {
    if (this.#owed) return this.#allBilled().then(() => this.end(failed))
    this.#timeout.end()
    this.#leave?.()
    const { record } = this.#scope
    const { usage, costUsd } = this.total
    const isBilled = this.#endpoint !== undefined || this.#isGiven || !isNoUsage(usage)
    record.usage = isBilled ? usage : null
    const { lostUsd } = record
    if (isBilled) record.costUsd = costUsd === null ? null : costUsd + lostUsd
    else record.costUsd = lostUsd > 0 ? lostUsd : null
    return this.settle(failed)
  }

  /** Charges the bill to the reservation, and releases the rest of it. Logs what cannot be settled. */
  async pay(reservation: Reservation, { usage, costUsd }: Bill, failed?: boolean): Promise<void> {
    const { record } = this.#scope
    try {
      await (isNoUsage(usage) ? reservation.release() : reservation.settle(usage, costUsd))
    } catch (error) {
      this.context.log.error('could not settle a reservation', { request: this.context.id, failed, ...describeError(error) })
    }
    const { heldUsd } = reservation
    if (heldUsd !== undefined) record.heldUsd = (record.heldUsd ?? 0) + heldUsd
  }

  async #allBilled(): Promise<void> {
    const owed = this.#owed
    this.#owed = undefined
    if (owed) await Promise.all(owed)
  }
}

/** With what the sorts warn of, and a warning that names the endpoints that were not asked. */
function askedIn(record: RequestScope['record']): Asked {
  const { attempts, routing } = record
  const warnings = [...routingWarnings(record)]
  const unasked = {
    'attempt-limit': `after ${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`,
    credit: 'for lack of credit',
  } as const
  for (const reason of ['attempt-limit', 'credit'] as const) {
    const count = routing?.passedOver[reason] ?? 0
    if (count === 0) continue
    const names = routing!.candidates
      .filter(({ passedOver }) => passedOver === reason)
      .slice(0, maxNamed)
      .map(({ provider, model }) => `${provider}/${model}`)
    const more = count > names.length ? ` and ${count - names.length} more` : ''
    warnings.push({ param: 'routing', message: `not asked ${unasked[reason]}: ${names.join(', ')}${more}` })
  }
  return { provider: attempts.at(-1)!.provider, attempts: attempts.length, warnings }
}

function tookTooLong(afterMs: number): GatewayError {
  return new GatewayError({
    status: 504,
    type: 'server_error',
    code: 'provider_timeout',
    message: wording`The request took longer than ${own(afterMs / 1000)} s.`,
  })
}
