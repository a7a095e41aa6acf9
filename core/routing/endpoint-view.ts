import type { Endpoint } from '../contracts/catalog.ts'
import type { Circuits } from '../contracts/circuits.ts'
import { defaultIntervalMs } from '../contracts/metric-interval.ts'
import type { LatestAnswers, MetricStore, MetricWindow } from '../contracts/metric-store.ts'
import type { SortView } from '../contracts/sort-strategy.ts'
import type { RequestCost } from './request-cost.ts'

const recentMs = 2 * 60_000

/** What the sorts of one request may know. */
export class EndpointView implements SortView {
  /** Changes between the sorts of one request. */
  sort = ''
  readonly #metrics: MetricStore
  readonly #circuits: Circuits
  readonly #cost: RequestCost
  readonly #intervalMs: number
  readonly #now: number

  constructor(metrics: MetricStore, circuits: Circuits, cost: RequestCost, intervalMs: number, now: number) {
    this.#metrics = metrics
    this.#circuits = circuits
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
    return this.#cost.at(endpoint, this.metrics(endpoint).meanOutputTokens)
  }

  isOpen(endpoint: Endpoint): boolean {
    return this.#circuits.isOpen(endpoint)
  }
}
