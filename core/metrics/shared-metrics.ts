import type { CountDelta, CountSum } from '../contracts/coordination.ts'
import type { MetricSharing } from '../contracts/metric-store.ts'
import type { Clock } from '../foundation/clock.ts'
import type { EndpointMetrics } from './endpoint-metrics.ts'
import { minuteMs } from './roll-ups.ts'
import { countsOf, summaryOfCounts } from './summary-counts.ts'

export interface NamedEndpoint {
  readonly provider: string
  readonly model: string
  readonly endpoint: EndpointMetrics
}

export interface ListedEndpoints {
  endpoints(): Iterable<NamedEndpoint>
  /** Makes one that is not there. */
  endpointOf(provider: string, model: string): EndpointMetrics
}

/** A little longer than the longest live window. */
const keepMs = 20 * minuteMs
const prefix = 'metrics'

/** The minutes of endpoints, as sums that processes make together: one for each endpoint and minute. */
export class SharedMetrics implements MetricSharing {
  readonly #clock: Clock
  readonly #listed: ListedEndpoints

  constructor(clock: Clock, listed: ListedEndpoints) {
    this.#clock = clock
    this.#listed = listed
  }

  /** The minutes of an endpoint come together, so there may be a few more. */
  take(most: number): readonly CountDelta[] {
    const deltas: CountDelta[] = []
    for (const { provider, model, endpoint } of this.#listed.endpoints()) {
      if (deltas.length >= most) break
      if (!endpoint.hasUnsent) continue
      endpoint.takeUnsent((minute, summary) =>
        deltas.push({ name: JSON.stringify([prefix, minute, provider, model]), counts: countsOf(summary), forMs: keepMs }),
      )
    }
    return deltas
  }

  receive(sums: readonly CountSum[]): void {
    const current = Math.floor(this.#clock.now() / minuteMs)
    for (const { name, counts } of sums) {
      const place = placeOf(name)
      if (place) this.#listed.endpointOf(place.provider, place.model).receive(place.minute, summaryOfCounts(counts), current)
    }
  }

  forget(): void {
    for (const { endpoint } of this.#listed.endpoints()) endpoint.forgetSent()
  }
}

/** Undefined for what others count. */
function placeOf(name: string): { readonly minute: number; readonly provider: string; readonly model: string } | undefined {
  let parts: unknown
  try {
    parts = JSON.parse(name)
  } catch {
    return undefined
  }
  if (!Array.isArray(parts)) return undefined
  const [first, minute, provider, model] = parts as readonly unknown[]
  if (first !== prefix || !Number.isSafeInteger(minute) || typeof provider !== 'string' || typeof model !== 'string') return undefined
  return { minute: minute as number, provider, model }
}
