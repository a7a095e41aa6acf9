import { Failover, failoverDependencies } from '../call/attempts/failover.ts'
import type { Attempt } from '../call/attempts/attempt.ts'
import type { Lane } from '../call/attempts/lane.ts'
import type { Reservation } from '../limits/reservation.ts'
import type { DecisionCall, DecisionReply, DecisionRequest } from '../contracts/decision.ts'
import type { Credential, ProviderFailure } from '../contracts/provider.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { DecisionClients } from '../framework/extension-points.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import type { Operation } from '../call/operation.ts'
import { AnswerFeed } from '../runtime/answer-feed.ts'
import { AskedModels } from './asked-models.ts'
import type { DecisionCandidate } from './names.ts'
import { checkedReply } from './reply.ts'
import { countedUsage } from './usage.ts'

const defaultTimeoutMs = 60_000

const dependencies = { ...failoverDependencies, clients: DecisionClients, models: AskedModels }

export interface CandidateReply {
  readonly reply: DecisionReply
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
  readonly #failover: Failover

  static {
    wire(this, dependencies)
  }

  constructor({ clients, models, ...services }: Dependencies<typeof dependencies>) {
    this.#models = models
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
    const run = async (attempt: Attempt<DecisionReply, DecisionCandidate>): Promise<CandidateReply> => {
      const { signal } = attempt
      const request = { ...task.request, model }
      const asker = this.#models.asker({ operation, guards, signal, record })
      const generate: DecisionCall['generate'] = asked => asker.generate(asked)
      try {
        attempt.begin(new AnswerFeed(() => client.decide({ request, credentialId: credential?.id, signal, context, generate })))
        const reply = checkedReply(await attempt.inbox.next(), request, client.provider)
        attempt.end('ok', countedUsage(reply))
        return { reply, candidate, askedModels: asker.hasAsked }
      } finally {
        if (asker.hasAsked) await asker.close()
      }
    }
    return await this.#failover.attempt(parts, context, { reservation, run })
  }
}
