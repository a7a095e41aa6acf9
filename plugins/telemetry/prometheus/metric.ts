/** One metric as a scrape finds it. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly values: readonly Sample[]
}

export interface Sample {
  /** Of the series, if it is not that of the metric. */
  readonly metricName?: string
  readonly labels: Labels
  readonly value: number
}

export type Labels = Readonly<Record<string, string>>
