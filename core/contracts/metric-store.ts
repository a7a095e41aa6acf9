import { token } from '../foundation/token.ts'

/** The outcome of one attempt at one endpoint. */
export interface AttemptSample {
  readonly provider: string
  readonly model: string
  /** Whether a catalog lists the endpoint. Callers can name any others, which must not displace the metrics of listed ones. */
  readonly listed: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `fault`: the provider's fault. `neutral`: the caller's fault, or the client disconnected. */
  readonly outcome: 'ok' | 'fault' | 'neutral'
  /** Time to the first semantic event. Streamed attempts only. */
  readonly latencyMs?: number | undefined
  /** Time to the last event. */
  readonly totalMs: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Metrics of an endpoint over a period. Undefined where there is no data. */
export interface MetricWindow {
  readonly requests: number
  /** Share of attempts without a fault of the provider, from 0 to 1. */
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

/** Live metrics per endpoint. Synchronous, so that routing never waits for a store. */
export interface MetricStore {
  record(sample: AttemptSample): void
  window(provider: string, model: string, intervalMs: number): MetricWindow
}
export const MetricStore = token<MetricStore>('metric-store')
