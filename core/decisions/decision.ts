import type { Decided, DecisionRequest } from '../contracts/decision.ts'
import type { JsonObject } from '../contracts/json.ts'
import { GatewayError } from '../foundation/errors.ts'
import { noUsage } from '../contracts/events.ts'
import { applyDecisionGuards, openGuards } from '../guards/input-guards.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { Operation } from '../operation/operation.ts'
import type { DecisionServices } from './decisions.ts'
import { refuseByRetention } from './retention.ts'
import { decisionNeed } from './token-limits.ts'
import { billedUsage, toldUsage } from './usage.ts'

/** The whole life of one decision, top to bottom. */
export class Decision {
  readonly #services: DecisionServices
  readonly #exchange: HttpExchange
  readonly #asked: DecisionRequest
  readonly #operation: Operation

  constructor(services: DecisionServices, exchange: HttpExchange, request: DecisionRequest) {
    this.#services = services
    this.#exchange = exchange
    this.#asked = request
    this.#operation = new Operation(exchange, request.model, services.settings.runTimeoutMs)
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
    const { policies, guardrails, limits, names, reservations, attempts } = this.#services
    const { context, bill } = this.#operation
    const { key, policy } = context.caller
    refuseByRetention(policy)
    policies.check(policy)
    await limits.check(this.#asked, announcedBytes(this.#exchange))
    const guards = openGuards(guardrails, context)
    const request = await applyDecisionGuards(this.#asked, guards, context)
    const candidates = names.candidates(request.model, key)
    const endpoints = candidates.map(({ endpoint }) => endpoint)
    const reservation = await reservations.reserve(key, () => decisionNeed(request), endpoints)
    this.#operation.hold(reservation)
    const affordable = reservation?.affordable(candidates) ?? candidates

    const sessions = guards.map(({ session }) => session)
    const { reply, candidate } = await attempts.first(affordable, request, sessions, this.#operation, this.#exchange, reservation)

    const { record } = this.#exchange
    const version = reply.model ?? candidate.model
    this.#operation.answeredBy(candidate.endpoint)
    // Models that were asked on the way are on the bill already, and stand for the whole.
    if (bill.usage === noUsage) bill.add(billedUsage(reply, request), candidate.endpoint.price)
    const decided: Decided = {
      ...reply,
      model: `${candidate.endpoint.provider}/${version}`,
      usage: toldUsage(reply, bill.usage),
      attempts: record.attempts.length,
    }
    record.content(this.#asked as unknown as JsonObject, { model: decided.model, answers: decided.answers, usage: decided.usage })
    return decided
  }
}

function announcedBytes({ request }: HttpExchange): number | undefined {
  const length = request.headers.get('content-length')
  return length === null ? undefined : Number(length)
}
