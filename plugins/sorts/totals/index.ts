import { definePlugin, SortStrategies, type MetricWindow } from '../../../core/index.ts'

const totals: Readonly<Record<string, { readonly counts: string; readonly total: (metrics: MetricWindow) => number }>> = {
  total_requests: { counts: 'Attempts', total: ({ requests }) => requests },
  input_tokens: { counts: 'Input tokens', total: ({ inputTokens }) => inputTokens },
  output_tokens: { counts: 'Output tokens', total: ({ outputTokens }) => outputTokens },
  total_tokens: { counts: 'Input and output tokens', total: ({ inputTokens, outputTokens }) => inputTokens + outputTokens },
}

/** The sorts `total_requests`, `input_tokens`, `output_tokens` and `total_tokens`: the most used endpoint comes first. */
export default definePlugin({
  name: 'totals-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    for (const [name, { counts, total }] of Object.entries(totals))
      gateway.add(SortStrategies, {
        name,
        description: `${counts} over the interval, most first.`,
        first: 'highest',
        values: (endpoints, view) =>
          endpoints.map(endpoint => {
            const metrics = view.metrics(endpoint)
            return metrics.requests === 0 ? undefined : total(metrics)
          }),
      })
  },
})
