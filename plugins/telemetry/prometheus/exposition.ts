import type { Gauge } from '@prometheus-io/client'
import { nextTurn } from '../../../core/stores.ts'
import type { Metric } from './metric.ts'

export interface Exposition {
  readonly contentType: string
  readonly text: string
}

type Got = Awaited<ReturnType<Gauge<string>['get']>>

/** The text of metrics in one of the two formats. One metric per turn of the event loop, because a scrape may be long. */
export async function exposition(metrics: readonly Metric[], isOpenMetrics: boolean): Promise<Exposition> {
  const { Gauge, openMetricsContentType, prometheusContentType, Registry } = await import('@prometheus-io/client')
  const contentType = isOpenMetrics ? openMetricsContentType : prometheusContentType
  const parts: string[] = []
  for (const metric of metrics) {
    const { name, help } = metric
    const registry = new Registry(contentType)
    // It was counted elsewhere: the library makes a text of all labels whenever it counts, which took twenty times as long.
    const gauge = new Gauge<string>({ name, help, registers: [registry as never] })
    gauge.get = () => Promise.resolve(gotOf(metric, isOpenMetrics))
    parts.push(await registry.getSingleMetricAsString(name))
    await nextTurn()
  }
  return { contentType, text: isOpenMetrics ? `${parts.join('\n')}\n# EOF\n` : `${parts.join('\n\n')}\n` }
}

/** The metric as the library reads it. In OpenMetrics, `_total` belongs to the series of counters, and the library adds it. */
function gotOf({ name, help, type, values }: Metric, isOpenMetrics: boolean): Got {
  const family = isOpenMetrics && type === 'counter' ? name.replace(/_total$/, '') : name
  return { name: family, help, type, values: values as Got['values'], aggregator: 'sum', collect: () => {} }
}
