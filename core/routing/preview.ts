import { Accounts, spendingOf } from '../admission/accounts.ts'
import { PolicyResolver } from '../admission/policy.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import { Circuits } from '../contracts/circuits.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import type { RoutedCandidate } from '../contracts/log-sink.ts'
import { intervalMsOf } from '../contracts/metric-interval.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { PreviewedEndpoint, RoutePreview, RouteQuery } from '../contracts/route-preview.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { invalidRequest } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { Logger } from '../foundation/logger.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { Guardrails } from '../framework/extension-points.ts'
import { loadedGuards, openGuards } from '../guards/input-guards.ts'
import { Planner } from './plan.ts'
import { routingRecord } from './routing-record.ts'
import { Sorts } from './sorts.ts'

const dependencies = {
  accounts: Accounts,
  circuits: Circuits,
  guardrails: Guardrails,
  log: Logger,
  metrics: MetricStore,
  planner: Planner,
  policies: PolicyResolver,
  sorts: Sorts,
}

/** Shows the order in which a short text request would try endpoints now, and why. */
export class RoutePreviews {
  readonly #parts: Dependencies<typeof dependencies>

  static {
    wire(this, dependencies)
  }

  constructor(parts: Dependencies<typeof dependencies>) {
    this.#parts = parts
  }

  /** Throws the error that the request would get: 400, 402, 403, 422 or 503. */
  async of({ model, sort, interval, key = anyKey }: RouteQuery): Promise<RoutePreview> {
    if (interval !== undefined && intervalMsOf(interval) === undefined) throw notAnInterval(interval)
    const { guardrails, planner, policies } = this.#parts
    this.#parts.sorts.asked(sort, 'sort')
    const context = await this.#context(key)
    policies.check(context.caller.policy)
    const request: GenerationRequest = {
      model,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
      routing: {
        model: { ...(sort !== undefined && { sort }) },
        provider: { ...(sort !== undefined && { sort }), ...(interval !== undefined && { interval }) },
      },
    }
    const guards = openGuards(loadedGuards(guardrails), context)
    const choice = await planner.choose(request, { context, guards, record: { routing: null, session: null }, dryRun: true })
    const { ranked, selection, sorts, intervalMs } = choice
    const { candidates, ...record } = routingRecord(choice, Infinity)
    const endpoints = [...ranked, ...selection.passedOver].map(({ endpoint }) => endpoint)
    return {
      ...record,
      unit: sorts.endpoints?.strategy.unit ?? null,
      candidates: candidates.map((each, index) => this.#previewed(each, endpoints[index]!, intervalMs)),
    }
  }

  #previewed(candidate: RoutedCandidate, endpoint: Endpoint, intervalMs: number): PreviewedEndpoint {
    const { circuits, metrics } = this.#parts
    const { requests, uptime = null } = metrics.window(endpoint.provider, endpoint.model, intervalMs)
    return { ...candidate, requests, uptime, circuitOpen: circuits.isOpen(endpoint) }
  }

  async #context(key: ApiKey): Promise<RunContext> {
    const { accounts, log, policies } = this.#parts
    const above = await accounts.above(key)
    if (key !== anyKey) policies.checkSupplied(above)
    const spending = spendingOf(key, above)
    const caller = freezeDeeply({ key, policy: await policies.resolve(freezeDeeply(key)), owner: key.org, spending })
    return { id: 'preview', caller, signal: new AbortController().signal, log, note: () => {}, keep: () => {} }
  }
}

const anyKey: ApiKey = { id: 'preview', hash: '', name: 'preview', org: 'default', policy: {}, createdAt: 0 }

function notAnInterval(text: string): Error {
  const problem = `"${text.slice(0, 40)}" is not an interval`
  return invalidRequest(wording`${problem}. Expected a whole number and a unit, such as 15m, 1 hour, 7 days or 1y.`, 'interval')
}
