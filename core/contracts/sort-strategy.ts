import type { Endpoint } from './catalog.ts'
import type { LatestAnswers, MetricWindow } from './metric-store.ts'

/** A value of `routing.model.sort` and `routing.provider.sort`, or a pattern of values: orders endpoints by one number each. */
export interface SortStrategy {
  /** The value of `sort`, such as `uptime`. With a `pattern`, how documents write it, such as `p<0..100>_latency`. */
  readonly name: string
  /** A regular expression for the values of `sort` that this strategy answers to, instead of its name. It must match the whole value. */
  readonly pattern?: string
  /** Values that match the pattern. The nearest ones are suggested for a misspelled sort. */
  readonly examples?: readonly string[]
  /**
   * For the API documentation: the endpoint that comes first, such as "Share of attempts without a fault of the provider, highest first."
   */
  readonly description: string
  /** The unit of the values, for people: `ms`, `USD`. */
  readonly unit?: string
  /** The end of the values that comes first. */
  readonly first: 'lowest' | 'highest'
  /** Used where a request names no sort. At most one of all loaded strategies. */
  readonly isDefault?: boolean
  /** True if `values` reads `view.costUsd`. Core then counts the input tokens first. */
  readonly readsCost?: boolean
  /**
   * One value per endpoint, in the same order. Undefined means no data: those endpoints come after the ones with data. An infinitely bad
   * value comes even after them. Equal values keep the order of the catalog.
   *
   * Called once per request, only if there is more than one endpoint, so it must be fast: 20 endpoints in a few microseconds. If it
   * throws or returns anything else, the log says so and the endpoints keep the order of the catalog.
   */
  values(endpoints: readonly Endpoint[], view: SortView): readonly (number | undefined)[]
}

/** Everything that a strategy may know, all of it from memory. Valid during the call only. */
export interface SortView {
  /** The sort that the request asked for, such as `p95_latency`. */
  readonly sort: string
  /** The endpoint's metrics over the interval of the request. */
  metrics(endpoint: Endpoint): MetricWindow
  /** The latest figures of the endpoint. Undefined without data, and if the request names an interval. */
  latest(endpoint: Endpoint): LatestAnswers | undefined
  /** The estimated cost of this request in US dollars. Undefined if a price that it needs is unknown. Set `readsCost` to read it. */
  costUsd(endpoint: Endpoint): number | undefined
  /** True if the gateway avoids the endpoint for a while, because it kept failing. */
  isOpen(endpoint: Endpoint): boolean
  /** Explains the order to the caller, in `x-gateway-warnings` and in the record of the request. The warning names `endpoints`. */
  warn(message: string, endpoints: readonly Endpoint[]): void
}
