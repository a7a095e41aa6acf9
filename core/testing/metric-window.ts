import type { MetricWindow } from '../contracts/metric-store.ts'

/** Metrics of an endpoint for a test: in milliseconds, by quantile or the same for all. */
export type GivenMetrics = Partial<Omit<MetricWindow, 'latencyMs' | 'totalMs'>> & {
  /** Time to the first semantic event. Default: no data. */
  readonly latencyMs?: Time
  /** Time to the last event. Default: no data. */
  readonly totalMs?: Time
}

type Time = number | ((quantile: number) => number | undefined)

/** These metrics; missing members are those of an endpoint without attempts. */
export function metricWindow({ latencyMs, totalMs, ...given }: GivenMetrics = {}): MetricWindow {
  return {
    requests: 0,
    samples: 0,
    uptime: undefined,
    inputTokens: 0,
    outputTokens: 0,
    meanOutputTokens: undefined,
    throughput: undefined,
    averageLatencyMs: undefined,
    averageTotalMs: undefined,
    latencyMs: timesOf(latencyMs),
    totalMs: timesOf(totalMs),
    ...given,
  }
}

function timesOf(time: Time | undefined): (quantile: number) => number | undefined {
  return typeof time === 'function' ? time : () => time
}
