import { Permissions } from '../admission/permissions.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Catalog, type Endpoint } from '../contracts/catalog.ts'
import { Circuits } from '../contracts/circuits.ts'
import type { OpenRecord, PassedOver } from '../contracts/log-sink.ts'
import { defaultIntervalMs, intervalMsOf } from '../contracts/metric-interval.ts'
import type { CompactionItem } from '../contracts/items.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RetrievalKind } from '../contracts/retrieval.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Sealer } from '../contracts/sealer.ts'
import { Clock } from '../foundation/clock.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { Providers } from '../framework/extension-points.ts'
import type { OpenGuard } from '../guards/input-guards.ts'
import { clearedEndpoints, routeRefusal } from '../guards/route-guards.ts'
import { alternatives } from './alternatives.ts'
import { selectCapable } from './capabilities.ts'
import { ContextWindow } from './context-window.ts'
import { speakingEndpoints } from './dialects.ts'
import { EndpointView } from './endpoint-view.ts'
import { accountsOf, compactionOf, holdersOf } from './compaction-holders.ts'
import { namedModels, withoutRepeats, type NamedModel } from './named-models.ts'
import { joined, Order, type AskedSorts } from './order.ts'
import { led, Precedence } from './precedence.ts'
import { RequestCost, type InputTokens } from './request-cost.ts'
import { routingRecord, type Choice } from './routing-record.ts'
import { Selection } from './selection.ts'
import { Sorts } from './sorts.ts'

/** An endpoint and its provider. */
export interface Candidate {
  readonly endpoint: Endpoint
  readonly provider: Provider
}

/** The context of a plan. */
export interface PlanScope {
  readonly context: RunContext
  readonly guards: readonly OpenGuard[]
  /** Has the session, and receives the record of how the endpoints were chosen. */
  readonly record: Pick<OpenRecord, 'routing' | 'session'>
  /** True if nothing will be sent: the input may be longer than every context window, and no endpoint is explored. */
  readonly dryRun?: boolean
  /** True if the gateway may compact the conversation: it may be longer than every context window, and no endpoint has to. */
  readonly isUnfitted?: boolean
  /** True if an endpoint that cannot read a vendor's compaction in the conversation must not be asked. */
  readonly bindsCompactions?: boolean
  /** The id of the stored answer that the request continues: the endpoint that gave it has the conversation in its prompt cache. */
  readonly continues?: string | undefined
  /** The endpoints that can serve the gateway's tools of the request. Throws if none can. Absent if the request has none. */
  readonly servable?: (endpoints: readonly Endpoint[]) => readonly Endpoint[]
  /** The request stands for a call of this kind, which only such endpoints answer. Absent: a generation. */
  readonly kind?: RetrievalKind
}

const dependencies = {
  catalog: Catalog,
  circuits: Circuits,
  clock: Clock,
  contextWindow: ContextWindow,
  metrics: MetricStore,
  permissions: Permissions,
  precedence: Precedence,
  providers: Providers,
  sealer: Sealer,
  sorts: Sorts,
}

/** The models that a request asks for, and the endpoints that are left. */
interface PlanDraft {
  readonly request: GenerationRequest
  readonly scope: PlanScope
  readonly models: readonly NamedModel[]
  readonly sorts: AskedSorts
  readonly selection: Selection
}

/** Chooses the endpoints for a request and their order. Everything that it needs is in memory. */
export class Planner {
  readonly #parts: Dependencies<typeof dependencies>

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    this.#parts = parts
  }

  /** Returns at least one candidate; a promise only if the input has to be counted. Throws 400, 402, 403, 422, or 503. */
  plan(request: GenerationRequest, scope: PlanScope): Maybe<readonly Candidate[]> {
    const choice = this.choose(request, scope)
    return isPending(choice) ? choice.then(made => this.#candidates(made, scope)) : this.#candidates(choice, scope)
  }

  /** The same, with the reasons for it. */
  choose(request: GenerationRequest, scope: PlanScope): Maybe<Choice> {
    const draft = this.#draft(request, scope)
    const { selection, models } = draft
    let rule: PassedOver = 'tools'
    try {
      selectCapable(selection, models, request, scope.isUnfitted)
      if (request.extra?.needed) {
        rule = 'dialect'
        selection.keep(speakingEndpoints(selection.endpoints, request, this.#parts.providers), rule)
        rule = 'tools'
      }
      if (scope.servable) {
        const servable = this.#servable(draft, scope.servable)
        if (!servable) return this.#refuse(draft)
        selection.keep(servable, rule)
      }
      rule = 'permission'
      selection.keep(this.#parts.permissions.permitted(selection.endpoints, scope.context.caller, request.model), rule)
      const bound = scope.bindsCompactions ? compactionOf(request) : undefined
      if (bound) {
        rule = 'compaction'
        selection.keep(this.#holders(selection.endpoints, bound, scope), rule)
      }
      rule = 'policy'
      const cleared = clearedEndpoints(selection.endpoints, request, scope.guards, scope.context)
      if (cleared.length === 0) return this.#refuse(draft)
      selection.keep(cleared, rule)
    } catch (error) {
      throw refused(error, rule, draft)
    }
    const fitting =
      scope.dryRun || scope.kind || scope.isUnfitted ? selection.endpoints : this.#parts.contextWindow.fit(selection.endpoints, request)
    if (isPending(fitting) || (selection.endpoints.length > 1 && readsCost(draft))) return this.#counted(draft, fitting)
    selection.keep(fitting, 'context-window')
    return this.#order(draft, undefined)
  }

  /** The endpoints that can read the compaction. */
  #holders(endpoints: readonly Endpoint[], compaction: CompactionItem, { context }: PlanScope): readonly Endpoint[] {
    const { sealer, providers } = this.#parts
    return holdersOf(sealer, compaction, endpoints, provider => accountsOf(providers.get(provider)), context.caller)
  }

  #draft(request: GenerationRequest, scope: PlanScope): PlanDraft {
    const { catalog, providers, sorts } = this.#parts
    const { routing } = request
    const asked = {
      models: sorts.asked(routing?.model?.sort, 'routing.model.sort'),
      endpoints: sorts.asked(routing?.provider?.sort, 'routing.provider.sort'),
    }
    const models = namedModels(request, catalog, providers, scope.kind)
    const [first] = models
    const named =
      models.length === 1 && first!.fallbacks.length === 0
        ? first!.endpoints
        : withoutRepeats(models.flatMap(({ endpoints, fallbacks }) => [...endpoints, ...fallbacks]))
    return { request, scope, models, sorts: asked, selection: new Selection(named) }
  }

  /**
   * The endpoints that can serve the tools. Throws if there are none, unless the guardrails would leave none either: the caller has to know
   * that first.
   */
  #servable({ request, scope, selection }: PlanDraft, servable: NonNullable<PlanScope['servable']>): readonly Endpoint[] | undefined {
    const { endpoints } = selection
    try {
      return servable(endpoints)
    } catch (error) {
      const { context, guards } = scope
      const permitted = endpoints.filter(endpoint => this.#parts.permissions.allows(context.caller, endpoint))
      if (permitted.length > 0 && clearedEndpoints(permitted, request, guards, context).length === 0) return undefined
      throw error
    }
  }

  /** Throws the refusal of the guardrail that leaves no endpoint. */
  async #refuse(draft: PlanDraft): Promise<never> {
    const { request, scope, selection, models } = draft
    const { context, guards } = scope
    const { permissions } = this.#parts
    const rejected = selection.endpoints.filter(endpoint => permissions.allows(context.caller, endpoint))
    try {
      const others = await alternatives(this.#parts, { request, scope, selection, models })
      throw routeRefusal({ rejected, ...others }, request, guards, context)
    } catch (error) {
      throw refused(error, 'policy', draft)
    }
  }

  async #counted(draft: PlanDraft, fitting: Maybe<readonly Endpoint[]>): Promise<Choice> {
    const { selection, request } = draft
    try {
      selection.keep(await fitting, 'context-window')
    } catch (error) {
      throw refused(error, 'context-window', draft)
    }
    const { endpoints } = selection
    const isCounted = endpoints.length > 1 && readsCost(draft)
    return this.#order(draft, isCounted ? await this.#parts.contextWindow.countByTokenizer(endpoints, request) : undefined)
  }

  #order({ request, scope, models, sorts, selection }: PlanDraft, counted: InputTokens | undefined): Choice {
    const { clock, precedence } = this.#parts
    const { endpoints } = selection
    const intervalMs = intervalOf(request)
    if (endpoints.length === 1 && !scope.dryRun) {
      const ranked = [{ endpoint: endpoints[0]!, value: undefined, key: 0 }]
      return { selection, sorts, intervalMs, ranked, precedent: undefined, warnings: undefined }
    }
    const { caller, log } = scope.context
    const view = new EndpointView(this.#parts, new RequestCost(request, counted), intervalMs, clock.now())
    const order = new Order(sorts, view, log)
    const left = selection.passedOver.length > 0 || models.length > 1 ? new Set(endpoints) : undefined
    const orders = models.map(model => order.of(model, left))
    const precedent = scope.kind
      ? undefined
      : precedence.of({
          ranked: orders[0]!,
          isAuto: models[0]!.isAuto,
          request,
          session: scope.record.session,
          caller,
          sort: sorts.endpoints,
          view,
          mayExplore: !scope.dryRun,
          continues: scope.continues,
        })
    if (precedent) orders[0] = led(orders[0]!, precedent)
    const ranked = joined(models, orders, left)
    return { selection, sorts, intervalMs, ranked, precedent, warnings: view.warnings }
  }

  #candidates(choice: Choice, { record }: PlanScope): readonly Candidate[] {
    const { ranked, selection } = choice
    if (ranked.length > 1 || selection.passedOver.length > 0) record.routing = routingRecord(choice)
    const { providers } = this.#parts
    return ranked.map(({ endpoint }) => ({ endpoint, provider: providers.get(endpoint.provider)! }))
  }
}

/** Models are ordered for `auto` only. */
function readsCost({ sorts, models }: PlanDraft): boolean {
  return sorts.endpoints?.strategy.readsCost === true || (sorts.models?.strategy.readsCost === true && models.some(({ isAuto }) => isAuto))
}

function intervalOf({ routing }: GenerationRequest): number {
  const interval = routing?.provider?.interval
  return interval === undefined ? defaultIntervalMs : (intervalMsOf(interval) ?? defaultIntervalMs)
}

/** Notes that this rule left no endpoint. Returns its error. */
function refused(error: unknown, rule: PassedOver, { selection, sorts, request, scope }: PlanDraft): unknown {
  selection.keep([], rule)
  const none = { ranked: [], precedent: undefined, warnings: undefined }
  scope.record.routing = routingRecord({ selection, sorts, intervalMs: intervalOf(request), ...none })
  return error
}
