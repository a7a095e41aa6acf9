import { definePlugin, SortStrategies, type Endpoint, type MetricWindow, type SortStrategy, type SortView } from '../../../core/index.ts'

type Time = (metrics: MetricWindow, quantile: number) => number | undefined

interface Times {
  /** For the documentation. */
  readonly event: string
  readonly at: Time
  readonly average: (metrics: MetricWindow) => number | undefined
  /** Known for every endpoint that has answered. Used where the others are unknown. */
  readonly instead?: Times
}

const lastEvent: Times = {
  event: 'last event',
  at: (metrics, quantile) => metrics.totalMs(quantile),
  average: metrics => metrics.averageTotalMs,
}
const firstEvent: Times = {
  event: 'first event',
  at: (metrics, quantile) => metrics.latencyMs(quantile),
  average: metrics => metrics.averageLatencyMs,
  instead: lastEvent,
}

/**
 * The sorts by time: `latency`, `avg_latency` and `p<0..100>_latency` to the first event that carries meaning, `e2e_latency`,
 * `avg_e2e_latency` and `p<0..100>_e2e_latency` to the last event.
 */
export default definePlugin({
  name: 'latency-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    const add = (
      name: string,
      description: string,
      times: Times,
      value: (times: Times, metrics: MetricWindow) => number | undefined,
    ): void =>
      gateway.add<SortStrategy>(SortStrategies, {
        name,
        description,
        unit: 'ms',
        first: 'lowest',
        values: (endpoints, view) => known(endpoints, view, times, value),
      })
    const addAll = (name: string, times: Times): void => {
      add(name, `The median time to the ${times.event}, shortest first.`, times, ({ at }, metrics) => at(metrics, 0.5))
      add(`avg_${name}`, `The mean time to the ${times.event}, shortest first.`, times, ({ average }, metrics) => average(metrics))
      gateway.add<SortStrategy>(SortStrategies, {
        name: `p<0..100>_${name}`,
        pattern: `^p([0-9]|[1-9][0-9]|100)_${name}$`,
        examples: [50, 75, 90, 95, 99].map(percentile => `p${percentile}_${name}`),
        description: `A percentile of the time to the ${times.event}, such as \`p95_${name}\`, shortest first.`,
        unit: 'ms',
        first: 'lowest',
        values(endpoints, view) {
          const quantile = Number.parseInt(view.sort.slice(1), 10) / 100
          return known(endpoints, view, times, ({ at }, metrics) => at(metrics, quantile))
        },
      })
    }
    addAll('latency', firstEvent)
    addAll('e2e_latency', lastEvent)
  },
})

/** The times, or those of whole answers for endpoints without streamed ones, with a warning to the caller. */
function known(
  endpoints: readonly Endpoint[],
  view: SortView,
  times: Times,
  value: (times: Times, metrics: MetricWindow) => number | undefined,
): readonly (number | undefined)[] {
  const whole: Endpoint[] = []
  const values = endpoints.map(endpoint => {
    const metrics = view.metrics(endpoint)
    const time = value(times, metrics)
    if (time !== undefined || !times.instead) return time
    const wholeTime = value(times.instead, metrics)
    if (wholeTime !== undefined) whole.push(endpoint)
    return wholeTime
  })
  if (whole.length > 0) view.warn(`${view.sort} is the time of whole answers where none was streamed`, whole)
  return values
}
