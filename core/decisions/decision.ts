import type { TokenNeed } from '../billing/token-need.ts'
import type { CallSteps } from '../call/steps.ts'
import type { LoadedWrapper } from '../call/loaded-wrapper.ts'
import type { Operation } from '../call/operation.ts'
import type { AnsweredDecision, DecisionToWrap } from '../contracts/call-wrapper.ts'
import type { Decided, DecisionRequest } from '../contracts/decision.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { Policy } from '../contracts/policy.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { JsonObject } from '../foundation/json.ts'
import { applyDecisionGuards, type OpenGuard } from '../guards/input-guards.ts'
import type { Reservation } from '../limits/reservation.ts'
import type { CandidateReply } from './attempts.ts'
import type { DecisionServices } from './decisions.ts'
import type { DecisionCandidate } from './names.ts'
import { checkedReply } from './reply.ts'
import { checkImageAddresses } from './image-addresses.ts'
import { refuseByRetention } from './retention.ts'
import { decisionNeed } from './token-limits.ts'
import { billedUsage, toldUsage } from './usage.ts'

interface PlannedDecision {
  readonly request: DecisionRequest
  readonly guards: readonly OpenGuard[]
  readonly candidates: readonly DecisionCandidate[]
}

/** One decision: its own part of each step of a call. */
export class Decision implements CallSteps<DecisionRequest, PlannedDecision, CandidateReply, Decided, CandidateReply> {
  readonly kind = 'decision'
  readonly isCounted = true
  readonly operation: Operation
  readonly context: RunContext
  readonly #services: DecisionServices
  readonly #scope: RequestScope
  readonly #asked: DecisionRequest
  readonly #bodyBytes: number | undefined
  #reservation: Reservation | undefined

  constructor(services: DecisionServices, scope: RequestScope, request: DecisionRequest, bodyBytes: number | undefined) {
    this.#services = services
    this.#scope = scope
    this.#asked = request
    this.#bodyBytes = bodyBytes
    // An unknown name may be anything that the caller wrote.
    const mayKeep = scope.caller.policy.logging.value || services.names.isKnown(request.model)
    this.operation = services.calls.open(scope, mayKeep ? request.model : null)
    this.context = this.operation.context
  }

  get session(): string | undefined {
    return this.#asked.prompt_cache_key
  }

  heed(policy: Policy): void {
    refuseByRetention(policy)
  }

  need(): TokenNeed {
    return decisionNeed(this.#asked)
  }

  check(): Promise<void> | undefined {
    const { limits, mediaHosts } = this.#services
    if (this.#asked.form !== 'items') return limits.check(this.#asked, this.#bodyBytes)
    checkImageAddresses(this.#asked, mediaHosts)
    return undefined
  }

  extend(): DecisionRequest {
    return this.#asked
  }

  guardInput(asked: DecisionRequest, guards: readonly OpenGuard[]): Promise<DecisionRequest> {
    return applyDecisionGuards(asked, guards, this.context)
  }

  plan(request: DecisionRequest, guards: readonly OpenGuard[]): Maybe<PlannedDecision> {
    const { names, fit } = this.#services
    const candidates = names.candidates(request.model, this.context.caller)
    if (request.form !== 'items' && !candidates.some(({ client }) => client.limits?.questions !== undefined))
      return { request, guards, candidates }
    return fit.fitting(request, candidates, this.#bodyBytes).then(fitting => ({ request, guards, candidates: fitting }))
  }

  async reserve({ request, candidates }: PlannedDecision): Promise<void> {
    this.#reservation = await this.#services.reservations.reserve(
      this.context,
      () => decisionNeed(request, mostParts(candidates)),
      candidates,
    )
    this.operation.hold(this.#reservation)
  }

  toWrap({ request, candidates }: PlannedDecision): DecisionToWrap {
    return { kind: this.kind, request, endpoints: candidates.map(({ endpoint }) => endpoint) }
  }

  take(answer: unknown, { plugin }: LoadedWrapper, { request, candidates }: PlannedDecision): CandidateReply {
    const reply = checkedReply(answer, request, plugin)
    // A member that cannot be written, such as a BigInt, must not fail the call.
    JSON.stringify(reply)
    return { reply: { ...reply, usage: free }, candidate: candidates[0]!, askedModels: false }
  }

  async answer({ request, guards, candidates }: PlannedDecision, given: CandidateReply | undefined): Promise<CandidateReply> {
    if (given) {
      this.operation.answeredFree()
      this.#scope.record.answerId = this.context.id
      return given
    }
    const { attempts, unreported } = this.#services
    const { operation } = this
    const reservation = this.#reservation
    const affordable = reservation?.affordable(candidates) ?? candidates
    const answered = await attempts.first(affordable, { request, guards, operation, surroundings: this.#scope, reservation })
    const { candidate, askedModels, parts = [{ request, reply: answered.reply }] } = answered
    const { endpoint } = candidate
    operation.answeredBy(endpoint)
    this.#scope.record.answerId = this.context.id
    // Calls of models are the whole cost of a decision that they answer.
    if (!askedModels)
      for (const part of parts) operation.bill.add(await billedUsage(part.reply, part.request, endpoint, unreported), endpoint.price)
    return answered
  }

  deliver({ reply, candidate }: CandidateReply): Decided {
    const { record } = this.#scope
    const { usage: billed, costUsd } = this.operation.total
    const decided: Decided = {
      ...reply,
      model: `${candidate.endpoint.provider}/${reply.model ?? candidate.model}`,
      usage: toldUsage(reply, billed),
      billed,
      costUsd: costUsd === null ? null : costUsd + record.lostUsd,
      attempts: record.attempts.length,
    }
    record.content(this.#asked as unknown as JsonObject, { model: decided.model, answers: decided.answers, usage: decided.usage })
    return decided
  }

  outcome({ reply, candidate }: CandidateReply): Omit<AnsweredDecision, 'by'> {
    return { endpoint: candidate.endpoint, reply }
  }

  fail(thrown: unknown): GatewayError {
    return this.operation.failed(thrown)
  }
}

function mostParts(candidates: readonly DecisionCandidate[]): number {
  return Math.max(...candidates.map(({ parts }) => parts?.length ?? 1))
}

const free = { input_tokens: 0, output_tokens: 0 }
