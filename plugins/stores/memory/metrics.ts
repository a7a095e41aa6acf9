import type { AttemptSample, Clock, MetricStore, MetricWindow } from '../../../core/index.ts'
import { EndpointMetrics, minuteMs } from './endpoint-metrics.ts'
import { MetricSummary } from './metric-summary.ts'

/** Callers may name models that no catalog lists: beyond so many endpoints the one known longest is forgotten. */
const maxEndpoints = 10_000

export class MemoryMetrics implements MetricStore {
  readonly #clock: Clock
  readonly #endpoints = new Map<string, EndpointMetrics>()
  #prunedAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  record(sample: AttemptSample): void {
    const name = endpointName(sample.provider, sample.model)
    let endpoint = this.#endpoints.get(name)
    if (!endpoint) {
      this.#makeRoom()
      endpoint = new EndpointMetrics()
      this.#endpoints.set(name, endpoint)
    }
    endpoint.add(sample)
    if (sample.at - this.#prunedAt >= minuteMs) this.#prune(sample.at)
  }

  window(provider: string, model: string, intervalMs: number): MetricWindow {
    const endpoint = this.#endpoints.get(endpointName(provider, model))
    if (!endpoint) return noData
    const [past, current = nothing] = endpoint.window(this.#clock.now(), intervalMs)
    return past.requests + current.requests === 0 ? noData : combine(past, current)
  }

  #prune(now: number): void {
    this.#prunedAt = now
    for (const [name, endpoint] of this.#endpoints) if (!endpoint.prune(now)) this.#endpoints.delete(name)
  }

  #makeRoom(): void {
    if (this.#endpoints.size < maxEndpoints) return
    for (const oldest of this.#endpoints.keys()) {
      this.#endpoints.delete(oldest)
      return
    }
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
  // Only a percentile needs the histograms, and few callers ask for one.
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

/** Neither part holds a line break: the pair is unambiguous. */
function endpointName(provider: string, model: string): string {
  return `${provider}\n${model}`
}
