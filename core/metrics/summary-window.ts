import type { MetricWindow } from '../contracts/metric-store.ts'
import { MetricSummary } from './metric-summary.ts'
import { Quantiles } from './quantiles.ts'

/** Reads a summary, which may keep changing. */
export class SummaryWindow implements MetricWindow {
  readonly #summary: MetricSummary
  readonly #latency: Quantiles
  readonly #total: Quantiles

  constructor(summary: MetricSummary) {
    this.#summary = summary
    this.#latency = new Quantiles(summary.latency)
    this.#total = new Quantiles(summary.total)
  }

  get requests(): number {
    return this.#summary.requests
  }

  get samples(): number {
    return this.#summary.total.total
  }

  get uptime(): number | undefined {
    const { requests, faults } = this.#summary
    return ratio(requests - faults, requests)
  }

  get inputTokens(): number {
    return this.#summary.inputTokens
  }

  get outputTokens(): number {
    return this.#summary.outputTokens
  }

  get meanOutputTokens(): number | undefined {
    return ratio(this.#summary.answeredTokens, this.samples)
  }

  get throughput(): number | undefined {
    return ratio(this.#summary.streamedTokens * 1_000_000, this.#summary.streamingUs)
  }

  get averageLatencyMs(): number | undefined {
    return ratio(this.#summary.latencySumUs / 1000, this.#summary.latency.total)
  }

  get averageTotalMs(): number | undefined {
    return ratio(this.#summary.totalSumUs / 1000, this.samples)
  }

  latencyMs(quantile: number): number | undefined {
    return this.#latency.at(quantile)
  }

  totalMs(quantile: number): number | undefined {
    return this.#total.at(quantile)
  }
}

export const emptyWindow: MetricWindow = new SummaryWindow(new MetricSummary())

function ratio(dividend: number, divisor: number): number | undefined {
  return divisor === 0 ? undefined : dividend / divisor
}
