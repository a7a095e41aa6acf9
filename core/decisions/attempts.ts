import type { Reservation } from '../billing/reservation.ts'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import type { DecisionClient, DecisionReply, DecisionRequest } from '../contracts/decision.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { ProviderFailure, type Credential } from '../contracts/provider.ts'
import { DecisionClients } from '../framework/extension-points.ts'
import { Attempt } from '../attempts/attempt.ts'
import type { Surroundings } from '../generation/attempts.ts'
import { Masks } from '../foundation/masks.ts'
import { Backoff } from '../attempts/backoff.ts'
import { Failover } from '../attempts/failover.ts'
import type { Operation } from '../operation/operation.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import type { Registry } from '../framework/registry.ts'
import { Settings } from '../framework/settings.ts'
import { Credentials } from '../attempts/credentials.ts'
import { AskedModels } from './asked-models.ts'
import { decisionForms } from './failure.ts'
import type { DecisionCandidate } from './names.ts'
import { checkedReply } from './reply.ts'
import { countedUsage } from './usage.ts'

const defaultTimeoutMs = 60_000

export interface AnsweredDecision {
  readonly reply: DecisionReply
  readonly candidate: DecisionCandidate
}

/** Asks decision clients until one answers. */
export class DecisionAttempts {
  readonly #clock: Clock
  readonly #metrics: MetricStore
  readonly #models: AskedModels
  readonly #failover: Failover

  static {
    wire(this, [Clock, MetricStore, Credentials, DecisionClients, AskedModels, Masks.token, Settings, Backoff])
  }

  constructor(
    clock: Clock,
    metrics: MetricStore,
    credentials: Credentials,
    clients: Registry<DecisionClient>,
    models: AskedModels,
    masks: Masks,
    { maxAttempts, retries }: Settings,
    backoff: Backoff,
  ) {
    this.#clock = clock
    this.#metrics = metrics
    this.#models = models
    this.#failover = new Failover({
      credentials,
      masks,
      maxAttempts,
      retries,
      backoff,
      clock,
      pluginOf: provider => clients.pluginOf(provider),
      forms: decisionForms,
    })
  }

  /** A reply that answers every question; or the public error of the last failure, when all is spent. */
  first(
    candidates: readonly DecisionCandidate[],
    request: DecisionRequest,
    guards: readonly OpenGuard[],
    operation: Operation,
    surroundings: Surroundings,
    reservation: Reservation | undefined,
  ): Promise<AnsweredDecision> {
    return this.#failover.first(candidates, operation.context, (candidate, credential) =>
      this.#try(candidate, credential, request, guards, operation, surroundings, reservation),
    )
  }

  async #try(
    candidate: DecisionCandidate,
    credential: Credential | undefined,
    asked: DecisionRequest,
    guards: readonly OpenGuard[],
    operation: Operation,
    { cancellation, record }: Surroundings,
    reservation: Reservation | undefined,
  ): Promise<AnsweredDecision | ProviderFailure> {
    const { client, model, endpoint } = candidate
    const { context } = operation
    // The answer to a decision has no limit that could be lowered: its whole need is held, or it is refused.
    await reservation?.outputLimit(endpoint)
    const attempt = new Attempt<DecisionReply, DecisionCandidate>({
      candidate,
      credential,
      totalMs: client.timeoutMs ?? defaultTimeoutMs,
      run: cancellation,
      clock: this.#clock,
      metrics: this.#metrics,
      record,
    })
    const outcome = await this.#failover.outcome(candidate, context, attempt, async () => {
      const request = { ...asked, model }
      const { signal } = attempt
      const generate = this.#models.asker(operation, guards, signal, record)
      attempt.begin(once(() => client.decide({ request, credentialId: credential?.id, signal, context, generate })))
      const reply = checkedReply(await attempt.next(), request, client.provider)
      attempt.end('ok', countedUsage(reply))
      return { reply, candidate }
    })
    if (ProviderFailure.is(outcome)) reservation?.attemptFailed(endpoint, undefined, outcome)
    return outcome
  }
}

async function* once<T>(ask: () => Promise<T>): AsyncGenerator<T> {
  yield await ask()
}
