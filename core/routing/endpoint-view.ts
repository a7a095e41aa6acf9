import type { Catalog, Endpoint } from '../contracts/catalog.ts'
import type { Circuits } from '../contracts/circuits.ts'
import { defaultIntervalMs } from '../contracts/metric-interval.ts'
import type { LatestAnswers, MetricStore, MetricWindow } from '../contracts/metric-store.ts'
import type { SortView } from '../contracts/sort-strategy.ts'
import type { RequestCost } from './request-cost.ts'

const recentMs = 2 * 60_000
/** How many endpoints a warning names. */
const maxNamed = 4

interface ViewedParts {
  readonly metrics: MetricStore
  readonly circuits: Circuits
  readonly catalog: Pick<Catalog, 'resolve'>
}

/** The facts that the sorts of one request may use. */
export class EndpointView implements SortView {
  /** Changes between the sorts of one request. */
  sort = ''
  readonly #metrics: MetricStore
  readonly #circuits: Circuits
  readonly #cost: RequestCost
  readonly #intervalMs: number
  readonly #now: number
  readonly #catalog: Pick<Catalog, 'resolve'>
  /** By model, once a sort asks for costs. */
  #meanOutputs: Map<string, number | undefined> | undefined
  /** The warnings of the sorts. */
  warnings: string[] | undefined

  constructor({ metrics, circuits, catalog }: ViewedParts, cost: RequestCost, intervalMs: number, now: number) {
    this.#metrics = metrics
    this.#circuits = circuits
    this.#catalog = catalog
    this.#cost = cost
    this.#intervalMs = intervalMs
    this.#now = now
  }

  metrics({ provider, model }: Endpoint): MetricWindow {
    return this.#metrics.window(provider, model, this.#intervalMs, this.#now)
  }

  latest({ provider, model }: Endpoint): LatestAnswers | undefined {
    return this.#intervalMs === defaultIntervalMs ? this.#metrics.latest(provider, model, this.#now) : undefined
  }

  /** Attempts in the last two minutes, for the default interval. */
  recentRequests({ provider, model }: Endpoint): number {
    return this.#metrics.window(provider, model, Math.min(recentMs, this.#intervalMs), this.#now).requests
  }

  costUsd(endpoint: Endpoint): number | undefined {
    return this.#cost.at(endpoint, this.#meanOutputOf(endpoint))
  }

  isOpen(endpoint: Endpoint): boolean {
    return this.#circuits.isOpen(endpoint)
  }

  warn(message: string, endpoints: readonly Endpoint[]): void {
    const names = endpoints.slice(0, maxNamed).map(({ provider, model }) => `${provider}/${model}`)
    const more = endpoints.length > maxNamed ? ` and ${endpoints.length - maxNamed} more` : ''
    const warning = `${message}: ${names.join(', ')}${more}`
    if (!this.warnings?.includes(warning)) (this.warnings ??= []).push(warning)
  }

  /** Over all endpoints of the model, so that each is priced for the same answer. */
  #meanOutputOf(endpoint: Endpoint): number | undefined {
    const means = (this.#meanOutputs ??= new Map())
    if (!means.has(endpoint.model)) means.set(endpoint.model, this.#meanOutput(endpoint))
    return means.get(endpoint.model)
  }

  #meanOutput(endpoint: Endpoint): number | undefined {
    let tokens = 0
    let answers = 0
    for (const each of (endpoint.listed && this.#catalog.resolve(endpoint.model)?.endpoints) || [endpoint]) {
      const { samples, meanOutputTokens } = this.metrics(each)
      if (meanOutputTokens === undefined) continue
      tokens += samples * meanOutputTokens
      answers += samples
    }
    return answers === 0 ? undefined : tokens / answers
  }
}
