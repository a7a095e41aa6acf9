import type { AttemptSample } from '../../../core/index.ts'
import { Histogram } from './histogram.ts'

/** Counts over attempts at one endpoint. Summaries can be merged. */
export class MetricSummary {
  requests = 0
  faults = 0
  inputTokens = 0
  outputTokens = 0
  latencySumMs = 0
  totalSumMs = 0
  /** Output after the first token, and how long it took. Only streamed answers count. */
  streamedTokens = 0
  streamingMs = 0
  readonly latency = new Histogram()
  readonly total = new Histogram()

  add(sample: AttemptSample): void {
    this.requests++
    this.inputTokens += sample.inputTokens
    this.outputTokens += sample.outputTokens
    // Failures and abandoned answers say nothing about how fast an endpoint answers.
    if (sample.outcome === 'fault') this.faults++
    if (sample.outcome !== 'ok') return
    this.total.add(sample.totalMs)
    this.totalSumMs += sample.totalMs
    if (sample.latencyMs === undefined) return
    this.latency.add(sample.latencyMs)
    this.latencySumMs += sample.latencyMs
    this.streamedTokens += sample.outputTokens
    this.streamingMs += Math.max(0, sample.totalMs - sample.latencyMs)
  }

  merge(other: MetricSummary): void {
    this.requests += other.requests
    this.faults += other.faults
    this.inputTokens += other.inputTokens
    this.outputTokens += other.outputTokens
    this.latencySumMs += other.latencySumMs
    this.totalSumMs += other.totalSumMs
    this.streamedTokens += other.streamedTokens
    this.streamingMs += other.streamingMs
    this.latency.merge(other.latency)
    this.total.merge(other.total)
  }
}
