import { Calls } from '../call/calls.ts'
import { LiveAnswers } from '../call/live-answers.ts'
import { Compactor } from '../contracts/compactor.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestEnvelope } from '../contracts/request-envelope.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { GenerationRun, GenerationSink, InputCount } from '../contracts/route.ts'
import { Sealer } from '../contracts/sealer.ts'
import { GatewayError } from '../foundation/errors.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { Ids } from '../foundation/ids.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { FreezesRequests } from '../framework/freezes-requests.ts'
import { Settings } from '../framework/settings.ts'
import { Affinity } from '../routing/affinity.ts'
import { ContextWindow } from '../routing/context-window.ts'
import { Planner } from '../routing/plan.ts'
import { allowedHosts } from '../upstream/media/media-address.ts'
import { Compactions } from './compaction/compactions.ts'
import { checkEnvelope } from './check-envelope.ts'
import { History } from './history.ts'
import { InputCounting } from './input-counting.ts'
import { ModelCalls } from './model-call.ts'
import { Run } from './run.ts'
import type { RunServices } from './run-services.ts'
import { LoadedTools } from './tools/loaded-tools.ts'

const dependencies = {
  calls: Calls,
  history: History,
  planner: Planner,
  tools: LoadedTools,
  compactions: Compactions,
  compactor: Compactor,
  models: ModelCalls,
  answers: LiveAnswers,
  affinity: Affinity,
  sealer: Sealer,
  settings: Settings,
  ids: Ids,
  contextWindow: ContextWindow,
  freezesAll: FreezesRequests,
}

const none: RequestEnvelope = {}

/** Starts generations. */
export class Generation {
  readonly #services: RunServices
  readonly #contextWindow: ContextWindow
  readonly #freezesAll: boolean

  static {
    wire(this, dependencies)
  }

  constructor({ freezesAll, ...services }: Dependencies<typeof dependencies>) {
    this.#contextWindow = services.contextWindow
    this.#freezesAll = freezesAll
    this.#services = { ...services, mediaHosts: allowedHosts(services.settings.mediaHosts) }
  }

  /** The types of `tools` that the gateway runs. */
  get toolTypes(): ReadonlySet<string> {
    return this.#services.tools.types
  }

  /** Starts an independent task. It always ends, and neither promise ever rejects. Throws a `TypeError` for a malformed envelope. */
  start(scope: RequestScope, request: GenerationRequest, sink: GenerationSink, envelope: RequestEnvelope = none): GenerationRun {
    if (envelope !== none) checkEnvelope(envelope)
    // The stored and recorded request must be the one that the caller sent.
    if (this.#freezesAll || scope.caller.policy.logging.value) {
      freezeDeeply(request)
      freezeDeeply(envelope.recorded)
      Object.freeze(envelope.history)
    }
    const run = new Run(this.#services, scope, request, envelope, sink)
    run.finished = this.#services.calls.run(scope, run)
    return run
  }

  /** Counts with the tokenizer of the first candidate. Throws the errors of a generation. */
  async countInput(scope: RequestScope, request: GenerationRequest, envelope: RequestEnvelope = none): Promise<InputCount> {
    if (envelope !== none) checkEnvelope(envelope)
    const counting = new InputCounting(this.#services, this.#contextWindow, scope, request, envelope)
    const count = await this.#services.calls.run(scope, counting)
    if (count instanceof GatewayError) throw count
    return count
  }
}
