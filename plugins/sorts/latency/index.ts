import { definePlugin, SortStrategies, type MetricWindow, type SortStrategy } from '../../../core/index.ts'

type Time = (metrics: MetricWindow, quantile: number) => number | undefined

const firstEvent: Time = (metrics, quantile) => metrics.latencyMs(quantile)
const lastEvent: Time = (metrics, quantile) => metrics.totalMs(quantile)

/**
 * The sorts by time: `latency`, `avg_latency` and `p<0..100>_latency` to the first event that carries meaning, `e2e_latency`,
 * `avg_e2e_latency` and `p<0..100>_e2e_latency` to the last event.
 */
export default definePlugin({
  name: 'latency-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    const add = (name: string, description: string, value: (metrics: MetricWindow) => number | undefined): void =>
      gateway.add<SortStrategy>(SortStrategies, {
        name,
        description,
        unit: 'ms',
        first: 'lowest',
        values: (endpoints, view) => endpoints.map(endpoint => value(view.metrics(endpoint))),
      })
    const addPercentiles = (name: string, meaning: string, time: Time): void =>
      gateway.add<SortStrategy>(SortStrategies, {
        name: `p<0..100>_${name}`,
        pattern: `^p([0-9]|[1-9][0-9]|100)_${name}$`,
        examples: [50, 75, 90, 95, 99].map(percentile => `p${percentile}_${name}`),
        description: `A percentile of the time to the ${meaning}, such as \`p95_${name}\`, shortest first.`,
        unit: 'ms',
        first: 'lowest',
        values(endpoints, view) {
          const quantile = Number.parseInt(view.sort.slice(1), 10) / 100
          return endpoints.map(endpoint => time(view.metrics(endpoint), quantile))
        },
      })
    add('latency', 'The median time to the first event, shortest first.', metrics => firstEvent(metrics, 0.5))
    add('avg_latency', 'The mean time to the first event, shortest first.', metrics => metrics.averageLatencyMs)
    add('e2e_latency', 'The median time to the last event, shortest first.', metrics => lastEvent(metrics, 0.5))
    add('avg_e2e_latency', 'The mean time to the last event, shortest first.', metrics => metrics.averageTotalMs)
    addPercentiles('latency', 'first event', firstEvent)
    addPercentiles('e2e_latency', 'last event', lastEvent)
  },
})
