import { Reservations } from '../billing/reservations.ts'
import { needOf } from '../billing/token-need.ts'
import { Cancellation } from '../foundation/cancellation.ts'
import { wire } from '../framework/container.ts'
import type { DecisionCall } from '../contracts/decision.ts'
import type { GenerationEvent, TokenUsage } from '../contracts/events.ts'
import type { GuardSession } from '../contracts/guardrail.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Attempt } from '../attempts/attempt.ts'
import type { RaisedEvent } from '../generation/raised-event.ts'
import { Attempts, type AnswerSurroundings } from '../generation/attempts.ts'
import { ContextWindow } from '../routing/context-window.ts'
import { estimateUsage, soundUsage } from '../billing/cost.ts'
import { LiveAnswers } from '../operation/live-answers.ts'
import { DerivedContext } from '../operation/derived-context.ts'
import type { Operation } from '../operation/operation.ts'
import type { OpenRecord } from '../contracts/log-sink.ts'
import { Planner } from '../routing/plan.ts'
import { cutShort } from '../upstream/provider-failures.ts'

/** Lets clients decide by asking models, on the decision's own account. */
export class AskedModels {
  readonly #planner: Planner
  readonly #contextWindow: ContextWindow
  readonly #reservations: Reservations
  readonly #attempts: Attempts
  readonly #answers: LiveAnswers

  static {
    wire(this, [Planner, ContextWindow, Reservations, Attempts, LiveAnswers])
  }

  constructor(planner: Planner, contextWindow: ContextWindow, reservations: Reservations, attempts: Attempts, answers: LiveAnswers) {
    this.#planner = planner
    this.#contextWindow = contextWindow
    this.#reservations = reservations
    this.#attempts = attempts
    this.#answers = answers
  }

  /** For one attempt at a decision; what is asked ends with it. */
  asker(operation: Operation, sessions: readonly GuardSession[], signal: AbortSignal, record: OpenRecord): DecisionCall['generate'] {
    let cancellation: Cancellation | undefined
    return request => this.#ask(request, operation, sessions, (cancellation ??= following(signal)), record)
  }

  async *#ask(
    request: GenerationRequest,
    operation: Operation,
    sessions: readonly GuardSession[],
    cancellation: Cancellation,
    record: OpenRecord,
  ): AsyncGenerator<GenerationEvent> {
    const answer = this.#answers.open(reason => cancellation.abort(reason))
    try {
      yield* this.#answer(request, operation, sessions, { cancellation, record, answer })
    } finally {
      answer.close()
    }
  }

  async *#answer(
    request: GenerationRequest,
    operation: Operation,
    sessions: readonly GuardSession[],
    surroundings: AnswerSurroundings,
  ): AsyncGenerator<GenerationEvent> {
    const { failover } = this.#attempts
    const context = new DerivedContext(operation.context, surroundings.cancellation)
    const { caller } = context
    const candidates = await this.#contextWindow.fit(this.#planner.plan(request, caller, sessions), request)
    const endpoints = candidates.map(({ endpoint }) => endpoint)
    const reservation = await this.#reservations.reserve(caller.key, () => needOf(request), endpoints)
    operation.hold(reservation)
    const affordable = reservation?.affordable(candidates) ?? candidates
    const attempt = await this.#attempts.open(affordable, request, context, surroundings, reservation)
    const { candidate } = attempt
    let usage: TokenUsage | undefined
    let said = 0
    let finished = false
    try {
      for (let event = attempt.head.shift(); event; event = attempt.head.shift() ?? attempt.take() ?? (await nextOf(attempt, finished))) {
        if (event.type === 'usage') usage = soundUsage(event.usage)
        else if (finished) continue
        else if (event.type === 'text') said += event.text.length
        else if (event.type === 'finish') finished = true
        if (event.type !== 'suppressed-call') yield event
      }
      if (!finished) throw cutShort(candidate.provider.id)
      attempt.end('ok', usage)
    } catch (error) {
      const failure = failover.failureOf(error, candidate, context)
      attempt.end(failure, usage)
      throw failover.publicError(failure, candidate)
    } finally {
      // The client may stop listening.
      attempt.end('left', usage)
      if (usage || said > 0 || finished) operation.bill.add(usage ?? estimateUsage(request, said), candidate.endpoint.price)
    }
  }
}

/** Some providers tell the usage after the end. */
function nextOf(attempt: Attempt<RaisedEvent>, finished: boolean): Promise<RaisedEvent | undefined> {
  return finished ? attempt.last() : attempt.next()
}

/** Called off with the signal. */
function following(signal: AbortSignal): Cancellation {
  const cancellation = new Cancellation()
  if (signal.aborted) cancellation.abort(signal.reason)
  else signal.addEventListener('abort', () => cancellation.abort(signal.reason), { once: true })
  return cancellation
}
