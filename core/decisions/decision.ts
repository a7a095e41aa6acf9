import type { Decided, DecisionRequest } from '../contracts/decision.ts'
import type { JsonObject } from '../foundation/json.ts'
import { GatewayError } from '../foundation/errors.ts'
import { applyDecisionGuards, openGuards } from '../guards/input-guards.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Operation } from '../call/operation.ts'
import type { DecisionServices } from './decisions.ts'
import { refuseByRetention } from './retention.ts'
import { decisionNeed } from './token-limits.ts'
import { billedUsage, toldUsage } from './usage.ts'

/** One decision from start to end. */
export class Decision {
  readonly #services: DecisionServices
  readonly #scope: RequestScope
  readonly #asked: DecisionRequest
  readonly #bodyBytes: number | undefined
  readonly #operation: Operation

  constructor(services: DecisionServices, scope: RequestScope, request: DecisionRequest, bodyBytes: number | undefined) {
    this.#services = services
    this.#scope = scope
    this.#asked = request
    this.#bodyBytes = bodyBytes
    // An unknown name may be anything that the caller wrote.
    const { policy } = scope.caller
    const mayKeep = policy.logging.value || services.names.isKnown(request.model)
    this.#operation = new Operation(scope, mayKeep ? request.model : null, services.settings.runTimeoutMs, services.clock)
  }

  async go(): Promise<Decided | GatewayError> {
    let result: Decided | GatewayError
    try {
      result = await this.#answer()
    } catch (thrown) {
      result = this.#operation.failed(thrown)
    }
    await this.#operation.end(result instanceof GatewayError)
    return result
  }

  async #answer(): Promise<Decided> {
    const { policies, guardrails, limits, names, reservations, requestLimits, attempts, unreported } = this.#services
    const { context, bill } = this.#operation
    const { policy } = context.caller
    refuseByRetention(policy)
    policies.check(policy)
    const entered = requestLimits.enter(context.caller.key)
    if (entered) this.#operation.onEnd(await entered)
    await limits.check(this.#asked, this.#bodyBytes)
    const guards = openGuards(guardrails, context)
    const request = await applyDecisionGuards(this.#asked, guards, context)
    const candidates = names.candidates(request.model, context.caller)
    const reservation = await reservations.reserve(context, () => decisionNeed(request), candidates)
    this.#operation.hold(reservation)
    const affordable = reservation?.affordable(candidates) ?? candidates

    const { reply, candidate, askedModels } = await attempts.first(affordable, {
      request,
      guards,
      operation: this.#operation,
      surroundings: this.#scope,
      reservation,
    })

    const { record } = this.#scope
    const version = reply.model ?? candidate.model
    this.#operation.answeredBy(candidate.endpoint)
    record.answerId = context.id
    // Calls of models are the whole cost of a decision that they answer.
    if (!askedModels) bill.add(await billedUsage(reply, request, candidate.endpoint, unreported), candidate.endpoint.price)
    const decided: Decided = {
      ...reply,
      model: `${candidate.endpoint.provider}/${version}`,
      usage: toldUsage(reply, this.#operation.total.usage),
      attempts: record.attempts.length,
    }
    record.content(this.#asked as unknown as JsonObject, { model: decided.model, answers: decided.answers, usage: decided.usage })
    return decided
  }
}
