import { Failover, failoverDependencies } from '../call/attempts/failover.ts'
import type { Attempt } from '../call/attempts/attempt.ts'
import type { Lane } from '../call/attempts/lane.ts'
import type { Reservation } from '../limits/reservation.ts'
import type { DecisionCall, DecisionClient, DecisionReply, DecisionRequest } from '../contracts/decision.ts'
import type { Credential, ProviderFailure } from '../contracts/provider.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { DecisionClients } from '../framework/extension-points.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { Warning } from '../contracts/route.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Sealer } from '../contracts/sealer.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import type { Operation } from '../call/operation.ts'
import { AnswerFeed } from '../runtime/answer-feed.ts'
import { AskedModels } from './asked-models.ts'
import { limitsOf } from './client-limits.ts'
import type { DecisionCandidate } from './names.ts'
import { PartedCall } from './parted-call.ts'
import type { RepliedPart } from './parted-reply.ts'
import { plainDecision, type PlainDecision } from './plain-request.ts'
import { checkedReply } from './reply.ts'
import { countedUsage } from './usage.ts'

const defaultTimeoutMs = 60_000

const dependencies = { ...failoverDependencies, clients: DecisionClients, models: AskedModels, sealer: Sealer }

export interface CandidateReply {
  readonly reply: DecisionReply
  /** The replies of which `reply` is made, if the request was sent in parts. */
  readonly parts?: readonly RepliedPart[]
  readonly candidate: DecisionCandidate
  /** The candidate asked models. Their calls are on the bill already. */
  readonly askedModels: boolean
}

/** The common parts of all attempts at one decision. */
export interface DecisionTask {
  readonly request: DecisionRequest
  readonly guards: readonly OpenGuard[]
  readonly operation: Operation
  readonly surroundings: Pick<RequestScope, 'cancellation' | 'record'>
  readonly reservation: Reservation | undefined
}

/** Asks decision clients until one answers. */
export class DecisionAttempts {
  readonly #models: AskedModels
  readonly #sealer: Sealer
  readonly #failover: Failover

  static {
    wire(this, dependencies)
  }

  constructor({ clients, models, sealer, ...services }: Dependencies<typeof dependencies>) {
    this.#models = models
    this.#sealer = sealer
    this.#failover = new Failover({ ...services, operation: 'decision', plugins: clients })
  }

  /** A reply that answers every question. Throws the public error of the last failure when no candidate is left. */
  first(candidates: readonly DecisionCandidate[], task: DecisionTask): Promise<CandidateReply> {
    const { operation, surroundings } = task
    return this.#failover.first(candidates, operation.context, surroundings.cancellation, {
      attempt: (candidate, credential, lane) => this.#try(candidate, credential, lane, task),
    })
  }

  async #try(
    candidate: DecisionCandidate,
    credential: Credential | undefined,
    lane: Lane,
    task: DecisionTask,
  ): Promise<CandidateReply | ProviderFailure> {
    const { client, model, endpoint } = candidate
    const { operation, guards, reservation, surroundings } = task
    const { record } = surroundings
    const { context } = operation
    // A decision's output has no limit that could be lowered: either all of it is covered, or this throws the 402.
    await reservation?.cover(endpoint, false)
    const parts = { candidate, credential, totalMs: client.timeoutMs ?? defaultTimeoutMs, lane, record }
    const parted = candidate.parts && new PartedCall(candidate.parts)
    const run = async (attempt: Attempt<DecisionReply, DecisionCandidate>): Promise<CandidateReply> => {
      const { signal } = attempt
      const { form } = task.request
      const { request, warnings } = this.#requestFor(client, { ...task.request, model }, context)
      const asker = this.#models.asker({ operation, guards, signal, record })
      const generate: DecisionCall['generate'] = asked => asker.generate(asked)
      const call = { request, credentialId: credential?.id, signal, context, traceparent: attempt.traceparent, generate }
      try {
        attempt.begin(new AnswerFeed(() => (parted ? parted.ask(candidate, call, form) : client.decide(call))))
        const answered = checkedReply(await attempt.inbox.next(), request, client.provider, form)
        const reply = warnings.length > 0 ? { ...answered, warnings: [...warnings, ...(answered.warnings ?? [])] } : answered
        attempt.end('ok', countedUsage(reply))
        return { reply, candidate, askedModels: asker.hasAsked, ...(parted && { parts: parted.done }) }
      } finally {
        if (asker.hasAsked) await asker.close()
      }
    }
    return await this.#failover.attempt(parts, context, { reservation, run, ...(parted && { usageOf: () => parted.usage }) })
  }

  /** The request as the client takes it. Vendors see an HMAC of the cache key, because the caller's might name a user. */
  #requestFor(client: DecisionClient, request: DecisionRequest, { caller }: RunContext): PlainDecision {
    if (request.form !== 'items') return { request, warnings: none }
    if (!limitsOf(client).items) return plainDecision(request)
    const { prompt_cache_key: key } = request
    if (key === undefined) return { request, warnings: none }
    const mac = this.#sealer.mac('cache-key', `given:${caller.owner}:${key}`).toString('base64url').slice(0, 32)
    return { request: { ...request, prompt_cache_key: mac }, warnings: none }
  }
}

const none: readonly Warning[] = []
