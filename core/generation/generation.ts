import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import { Sealer } from '../contracts/sealer.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { GenerationRun, GenerationSink, InputCount } from '../contracts/route.ts'
import { PolicyResolver } from '../admission/policy.ts'
import { Reservations } from '../billing/reservations.ts'
import { Guardrails } from '../framework/extension-points.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Ids } from '../foundation/ids.ts'
import { LiveAnswers } from '../operation/live-answers.ts'
import { LiveOperations } from '../operation/live-operations.ts'
import type { Registry } from '../framework/registry.ts'
import { Planner } from '../routing/plan.ts'
import { Settings } from '../framework/settings.ts'
import { allowedHosts, type AllowedHosts } from '../upstream/media/media-address.ts'
import { Attempts } from './attempts.ts'
import { ContextWindow } from '../routing/context-window.ts'
import { History } from './history.ts'
import { loadedGuards, type LoadedGuard } from '../guards/input-guards.ts'
import { prepare } from './preparation.ts'
import { Run } from './run.ts'

/** What every run works with. */
export interface RunServices {
  readonly policies: PolicyResolver
  readonly history: History
  readonly guardrails: readonly LoadedGuard[]
  readonly planner: Planner
  readonly contextWindow: ContextWindow
  readonly reservations: Reservations
  readonly attempts: Attempts
  readonly answers: LiveAnswers
  readonly sealer: Sealer
  readonly settings: Settings
  /** Of the settings. */
  readonly mediaHosts: AllowedHosts
  readonly clock: Clock
  readonly ids: Ids
}

/** Starts generations. */
export class Generation {
  readonly #services: RunServices
  readonly #live: LiveOperations

  static {
    wire(this, [
      PolicyResolver,
      History,
      Guardrails,
      Planner,
      ContextWindow,
      Reservations,
      Attempts,
      LiveAnswers,
      Sealer,
      Settings,
      Clock,
      Ids,
      LiveOperations,
    ])
  }

  constructor(
    policies: PolicyResolver,
    history: History,
    guardrails: Registry<Guardrail>,
    planner: Planner,
    contextWindow: ContextWindow,
    reservations: Reservations,
    attempts: Attempts,
    answers: LiveAnswers,
    sealer: Sealer,
    settings: Settings,
    clock: Clock,
    ids: Ids,
    live: LiveOperations,
  ) {
    this.#live = live
    this.#services = {
      policies,
      history,
      guardrails: loadedGuards(guardrails),
      planner,
      contextWindow,
      reservations,
      attempts,
      answers,
      sealer,
      settings,
      mediaHosts: allowedHosts(settings.mediaHosts),
      clock,
      ids,
    }
  }

  /** A task of its own: it always ends, and neither promise ever rejects. */
  start(scope: RequestScope, request: GenerationRequest, sink: GenerationSink): GenerationRun {
    const run = new Run(this.#services, scope, request, sink)
    return { committed: run.committed, finished: this.#live.track(scope, () => run.go()) }
  }

  /** Counts as the model that would be asked first counts. */
  async countInput(scope: RequestScope, asked: GenerationRequest): Promise<InputCount> {
    const { request, candidates } = await prepare(this.#services, asked, scope)
    return await this.#services.contextWindow.count(candidates[0]!.endpoint, request)
  }
}
