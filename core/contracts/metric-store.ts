import { token } from '../foundation/token.ts'

/** How one attempt at one endpoint went. */
export interface AttemptSample {
  readonly provider: string
  readonly model: string
  /** Whether a catalog lists the endpoint. Callers may name others as they please: they must not displace what is known of these. */
  readonly listed: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `fault`: the provider's fault; `neutral`: the caller's, or the client left. */
  readonly outcome: 'ok' | 'fault' | 'neutral'
  /** To the first semantic event; only streamed attempts tell. */
  readonly latencyMs?: number | undefined
  /** To the last event. */
  readonly totalMs: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What is known of an endpoint over a stretch of time. Numbers are undefined where there is no data. */
export interface MetricWindow {
  readonly requests: number
  /** Share of attempts that did not fail by the provider's fault, 0 to 1. */
  readonly uptime: number | undefined
  readonly inputTokens: number
  readonly outputTokens: number
  /** Output tokens per second after the first token. */
  readonly throughput: number | undefined
  readonly averageLatencyMs: number | undefined
  readonly averageTotalMs: number | undefined
  /** `quantile` from 0 to 1. */
  latencyMs(quantile: number): number | undefined
  totalMs(quantile: number): number | undefined
}

/** Live metrics per endpoint. Both calls are synchronous: choosing never waits for a store. */
export interface MetricStore {
  record(sample: AttemptSample): void
  window(provider: string, model: string, intervalMs: number): MetricWindow
}
export const MetricStore = token<MetricStore>('metric-store')
