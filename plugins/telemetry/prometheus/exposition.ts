import { Gauge, openMetricsContentType, prometheusContentType, Registry } from '@prometheus-io/client'
import { nextTurn } from '../../../core/stores.ts'
import type { Metric } from './metric.ts'

export interface Exposition {
  readonly contentType: string
  readonly text: string
}

/** The text of metrics in one of the two formats. One metric per turn of the event loop, because a scrape may be long. */
export async function exposition(metrics: readonly Metric[], isOpenMetrics: boolean): Promise<Exposition> {
  const contentType = isOpenMetrics ? openMetricsContentType : prometheusContentType
  const parts: string[] = []
  for (const metric of metrics) {
    const registry = new Registry(contentType)
    new CountedMetric(metric, registry, isOpenMetrics)
    parts.push(await registry.getSingleMetricAsString(metric.name))
    await nextTurn()
  }
  return { contentType, text: isOpenMetrics ? `${parts.join('\n')}\n# EOF\n` : `${parts.join('\n\n')}\n` }
}

type Got = ReturnType<Gauge<string>['get']>

/** A metric that was counted elsewhere: the library makes a text of all labels whenever it counts, which took twenty times as long. */
class CountedMetric extends Gauge<string> {
  readonly #metric: Metric
  readonly #isOpenMetrics: boolean

  constructor(metric: Metric, registry: Registry, isOpenMetrics: boolean) {
    super({ name: metric.name, help: metric.help, registers: [registry as never] })
    this.#metric = metric
    this.#isOpenMetrics = isOpenMetrics
  }

  override async get(): Got {
    const { name, help, type, values } = this.#metric
    return {
      // In OpenMetrics, `_total` belongs to the series, and the library adds it.
      name: this.#isOpenMetrics && type === 'counter' ? name.replace(/_total$/, '') : name,
      help,
      type,
      values: values as Awaited<Got>['values'],
      aggregator: 'sum',
      collect: () => {},
    }
  }
}
