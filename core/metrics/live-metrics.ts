import type { AttemptSample, LatestAnswers, MetricSharing, MetricStore, MetricWindow } from '../contracts/metric-store.ts'
import type { Clock } from '../foundation/clock.ts'
import { EndpointMetrics } from './endpoint-metrics.ts'
import { minuteMs } from './roll-ups.ts'
import type { MetricSummary } from './metric-summary.ts'
import { SharedMetrics, type NamedEndpoint } from './shared-metrics.ts'
import { emptyWindow } from './summary-window.ts'
import { recentValues } from '../runtime/recent-values.ts'

/** Callers may name models that are in no catalog. Of those, only this many recently used ones are kept. */
const maxUnlisted = 1_000
const pruneEveryMs = 60 * minuteMs

/** Receives the minute of an endpoint. `summary` is valid during the call only. */
export type SaveMinute = (provider: string, model: string, minute: number, summary: MetricSummary) => void

/** The metrics of all endpoints, in memory. A store plugin may save and restore them. */
export class LiveMetrics implements MetricStore {
  readonly #clock: Clock
  /** By provider and model. Bounded by what the catalogs list. */
  readonly #listed = new Map<string, Map<string, EndpointMetrics>>()
  readonly #unlisted = recentValues<string, EndpointMetrics>(maxUnlisted)
  #prunedAt = 0
  #shares = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** See `MetricStore`. */
  record(sample: AttemptSample): void {
    const { provider, model, listed, at } = sample
    const endpoint = this.#listed.get(provider)?.get(model) ?? (listed ? this.#list(provider, model) : this.#unlist(provider, model))
    endpoint.add(sample)
    this.#pruneSometimes(at)
  }

  /** See `MetricStore`. */
  window(provider: string, model: string, intervalMs: number, now = this.#clock.now()): MetricWindow {
    const endpoint = this.#find(provider, model)
    return endpoint ? endpoint.window(now, intervalMs) : emptyWindow
  }

  /** See `MetricStore`. */
  latest(provider: string, model: string, now = this.#clock.now()): LatestAnswers | undefined {
    return this.#find(provider, model)?.latest(now)
  }

  /** Adds a period that a store kept, of an endpoint that a catalog listed. `level` is an index of `rollUps`. */
  restore(provider: string, model: string, level: number, firstMinute: number, summary: MetricSummary): void {
    const endpoint = this.#listed.get(provider)?.get(model) ?? this.#list(provider, model)
    endpoint.restore(level, firstMinute, summary, Math.floor(this.#clock.now() / minuteMs))
    endpoint.forgetWindows()
  }

  /** Calls `save` with every minute of a listed endpoint that has changed since the last call. */
  takeChanges(save: SaveMinute): void {
    for (const [provider, models] of this.#listed) {
      for (const [model, endpoint] of models) endpoint.takeChanges((minute, summary) => save(provider, model, minute, summary))
    }
  }

  /** Of listed endpoints only: callers can make up any number of others. */
  share(): MetricSharing {
    this.#shares = true
    for (const { endpoint } of this.#endpoints()) endpoint.share()
    return new SharedMetrics(this.#clock, {
      endpoints: () => {
        this.#pruneSometimes(this.#clock.now())
        return this.#endpoints()
      },
      endpointOf: (provider, model) => this.#listed.get(provider)?.get(model) ?? this.#list(provider, model),
    })
  }

  *#endpoints(): Generator<NamedEndpoint> {
    for (const [provider, models] of this.#listed) for (const [model, endpoint] of models) yield { provider, model, endpoint }
  }

  #find(provider: string, model: string): EndpointMetrics | undefined {
    return this.#listed.get(provider)?.get(model) ?? this.#unlisted.get(unlistedName(provider, model))
  }

  #list(provider: string, model: string): EndpointMetrics {
    // It may have been used before a catalog listed it.
    const name = unlistedName(provider, model)
    const endpoint = this.#unlisted.get(name) ?? new EndpointMetrics()
    this.#unlisted.delete(name)
    if (this.#shares) endpoint.share()
    let models = this.#listed.get(provider)
    if (!models) this.#listed.set(provider, (models = new Map()))
    models.set(model, endpoint)
    return endpoint
  }

  #unlist(provider: string, model: string): EndpointMetrics {
    const name = unlistedName(provider, model)
    let endpoint = this.#unlisted.get(name)
    if (!endpoint) this.#unlisted.set(name, (endpoint = new EndpointMetrics()))
    return endpoint
  }

  #pruneSometimes(now: number): void {
    if (now - this.#prunedAt < pruneEveryMs) return
    this.#prunedAt = now
    const minute = Math.floor(now / minuteMs)
    for (const [provider, models] of this.#listed) {
      for (const [model, endpoint] of models) if (!endpoint.prune(minute)) models.delete(model)
      if (models.size === 0) this.#listed.delete(provider)
    }
    for (const [name, endpoint] of this.#unlisted) if (!endpoint.prune(minute)) this.#unlisted.delete(name)
  }
}

/** Neither part contains a line break, so the pair is unambiguous. */
function unlistedName(provider: string, model: string): string {
  return `${provider}\n${model}`
}
