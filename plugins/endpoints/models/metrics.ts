import { invalidRequest, type Endpoint, type JsonObject, type MetricWindow } from '../../../core/index.ts'
import { defaultIntervalMs, intervalMsOf, wording } from '../../../core/kit.ts'
import type { MetricStore } from '../../../core/stores.ts'

/** The parameter `interval` in milliseconds. Throws a 400. */
export function intervalIn(query: URLSearchParams): number {
  const text = query.get('interval')
  if (text === null) return defaultIntervalMs
  const intervalMs = intervalMsOf(text)
  if (intervalMs !== undefined) return intervalMs
  throw invalidRequest(
    wording`interval must be a whole number and a unit, such as 15m, "15 minutes", 1h, "2 days", 1w or 1y, got ${JSON.stringify(text.slice(0, shownLength))}.`,
    'interval',
  )
}

const shownLength = 100

/** How an endpoint did in the interval. Null where there is no data. */
export function metricsOf({ provider, model }: Endpoint, metrics: MetricStore, intervalMs: number): JsonObject {
  const window = metrics.window(provider, model, intervalMs)
  return {
    requests: window.requests,
    uptime: rounded(window.uptime),
    throughput: rounded(window.throughput),
    latency_ms: percentiles(window, 'latencyMs'),
    e2e_latency_ms: percentiles(window, 'totalMs'),
  }
}

function percentiles(window: MetricWindow, name: 'latencyMs' | 'totalMs'): JsonObject {
  return { p50: rounded(window[name](0.5)), p90: rounded(window[name](0.9)), p99: rounded(window[name](0.99)) }
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 10_000) / 10_000
}
