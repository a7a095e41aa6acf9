import { wire, type Dependencies } from '../framework/container.ts'
import { Sealer } from '../contracts/sealer.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { GenerationRun, GenerationSink, InputCount } from '../contracts/route.ts'
import { PolicyResolver } from '../admission/policy.ts'
import { RequestLimits } from '../limits/request-limits.ts'
import { Guardrails } from '../framework/extension-points.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { Clock } from '../foundation/clock.ts'
import { Ids } from '../foundation/ids.ts'
import { LiveAnswers } from '../call/live-answers.ts'
import { LiveOperations } from '../call/live-operations.ts'
import { Planner } from '../routing/plan.ts'
import { FreezesRequests } from '../framework/freezes-requests.ts'
import { Settings } from '../framework/settings.ts'
import { allowedHosts, type AllowedHosts } from '../upstream/media/media-address.ts'
import { Affinity } from '../routing/affinity.ts'
import { ContextWindow } from '../routing/context-window.ts'
import { History } from './history.ts'
import { ModelCalls } from './model-call.ts'
import { loadedGuards, type LoadedGuard } from '../guards/input-guards.ts'
import { LoadedTools } from './tools/loaded-tools.ts'
import { prepare } from './preparation.ts'
import { Run } from './run.ts'

const dependencies = {
  policies: PolicyResolver,
  history: History,
  guardrails: Guardrails,
  planner: Planner,
  tools: LoadedTools,
  affinity: Affinity,
  contextWindow: ContextWindow,
  calls: ModelCalls,
  requestLimits: RequestLimits,
  answers: LiveAnswers,
  sealer: Sealer,
  settings: Settings,
  clock: Clock,
  ids: Ids,
  live: LiveOperations,
  freezesAll: FreezesRequests,
}

/** The services that every run uses. */
export interface RunServices extends Omit<Dependencies<typeof dependencies>, 'guardrails' | 'live' | 'freezesAll'> {
  readonly guardrails: readonly LoadedGuard[]
  /** From the settings. */
  readonly mediaHosts: AllowedHosts
}

/** Starts generations. */
export class Generation {
  readonly #services: RunServices
  readonly #live: LiveOperations
  readonly #freezesAll: boolean

  static {
    wire(this, dependencies)
  }

  constructor({ guardrails, live, freezesAll, ...services }: Dependencies<typeof dependencies>) {
    this.#live = live
    this.#freezesAll = freezesAll
    this.#services = { ...services, guardrails: loadedGuards(guardrails), mediaHosts: allowedHosts(services.settings.mediaHosts) }
  }

  /** The types of `tools` that the gateway runs. */
  get toolTypes(): ReadonlySet<string> {
    return this.#services.tools.types
  }

  /** Starts an independent task. It always ends, and neither promise ever rejects. */
  start(scope: RequestScope, request: GenerationRequest, sink: GenerationSink): GenerationRun {
    // What is stored and recorded must be what the caller sent.
    if (this.#freezesAll || scope.caller.policy.logging.value) freezeDeeply(request)
    const run = new Run(this.#services, scope, request, sink)
    run.start(this.#live)
    return run
  }

  /** Counts with the tokenizer of the first candidate. */
  async countInput(scope: RequestScope, asked: GenerationRequest): Promise<InputCount> {
    const { request, candidates } = await prepare(this.#services, asked, scope, { record: scope.record, dryRun: true })
    return await this.#services.contextWindow.count(candidates[0]!.endpoint, request)
  }
}
