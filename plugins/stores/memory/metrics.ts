import { LRUCache } from 'lru-cache'
import type { AttemptSample, Clock, MetricStore, MetricWindow } from '../../../core/index.ts'
import { EndpointMetrics, minuteMs } from './endpoint-metrics.ts'
import { MetricSummary } from './metric-summary.ts'

/** Callers may name models that are in no catalog. Of those, only this many recently used ones are kept. */
const maxUnlisted = 1_000

export class MemoryMetrics implements MetricStore {
  readonly #clock: Clock
  /** Bounded by what the catalogs list. */
  readonly #listed = new Map<string, EndpointMetrics>()
  readonly #unlisted = new LRUCache<string, EndpointMetrics>({ max: maxUnlisted })
  #prunedAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  record(sample: AttemptSample): void {
    const name = endpointName(sample.provider, sample.model)
    const endpoint = this.#find(name) ?? new EndpointMetrics()
    if (sample.listed) {
      this.#listed.set(name, endpoint)
      // It may have been used before a catalog listed it.
      this.#unlisted.delete(name)
    } else if (!this.#listed.has(name)) this.#unlisted.set(name, endpoint)
    endpoint.add(sample)
    if (sample.at - this.#prunedAt >= minuteMs) this.#prune(sample.at)
  }

  window(provider: string, model: string, intervalMs: number): MetricWindow {
    const endpoint = this.#find(endpointName(provider, model))
    if (!endpoint) return noData
    const [past, current = nothing] = endpoint.window(this.#clock.now(), intervalMs)
    return past.requests + current.requests === 0 ? noData : combine(past, current)
  }

  #find(name: string): EndpointMetrics | undefined {
    return this.#listed.get(name) ?? this.#unlisted.get(name)
  }

  #prune(now: number): void {
    this.#prunedAt = now
    for (const endpoints of [this.#listed, this.#unlisted])
      for (const [name, endpoint] of endpoints) if (!endpoint.prune(now)) endpoints.delete(name)
  }
}

const nothing = new MetricSummary()

const noData: MetricWindow = {
  requests: 0,
  uptime: undefined,
  inputTokens: 0,
  outputTokens: 0,
  throughput: undefined,
  averageLatencyMs: undefined,
  averageTotalMs: undefined,
  latencyMs: () => undefined,
  totalMs: () => undefined,
}

function combine(past: MetricSummary, current: MetricSummary): MetricWindow {
  const sum = (member: SummedMember): number => past[member] + current[member]
  const requests = sum('requests')
  let merged: MetricSummary | undefined
  // Only percentiles need the histograms, and they are rarely requested.
  const both = (): MetricSummary => {
    if (merged) return merged
    merged = new MetricSummary()
    merged.merge(past)
    merged.merge(current)
    return merged
  }
  return {
    requests,
    uptime: (requests - sum('faults')) / requests,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    throughput: ratio(sum('streamedTokens') * 1000, sum('streamingMs')),
    averageLatencyMs: ratio(sum('latencySumMs'), past.latency.total + current.latency.total),
    averageTotalMs: ratio(sum('totalSumMs'), past.total.total + current.total.total),
    latencyMs: quantile => both().latency.quantile(quantile),
    totalMs: quantile => both().total.quantile(quantile),
  }
}

type SummedMember = {
  [K in keyof MetricSummary]: MetricSummary[K] extends number ? K : never
}[keyof MetricSummary]

function ratio(dividend: number, divisor: number): number | undefined {
  return divisor === 0 ? undefined : dividend / divisor
}

/** Neither part contains a line break, so the pair is unambiguous. */
function endpointName(provider: string, model: string): string {
  return `${provider}\n${model}`
}
