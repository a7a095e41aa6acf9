import { definePlugin, SortStrategies, type Endpoint, type MetricWindow } from '../../../core/index.ts'

/** The sort `throughput`: output tokens per second after the first token. */
export default definePlugin({
  name: 'throughput-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(SortStrategies, {
      name: 'throughput',
      description: 'Output tokens per second after the first token, highest first.',
      unit: 'tokens/s',
      first: 'highest',
      values(endpoints, view) {
        const whole: Endpoint[] = []
        const values = endpoints.map(endpoint => {
          const metrics = view.metrics(endpoint)
          if (metrics.throughput !== undefined) return metrics.throughput
          const throughput = wholeThroughput(metrics)
          if (throughput !== undefined) whole.push(endpoint)
          return throughput
        })
        if (whole.length > 0) view.warn('throughput is that of whole answers where none was streamed', whole)
        return values
      },
    })
  },
})

/** Over the whole time of the answers, because none was streamed. */
function wholeThroughput({ meanOutputTokens, averageTotalMs }: MetricWindow): number | undefined {
  return meanOutputTokens !== undefined && averageTotalMs ? (meanOutputTokens * 1000) / averageTotalMs : undefined
}
