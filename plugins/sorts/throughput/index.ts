import { definePlugin, SortStrategies } from '../../../core/index.ts'

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
      values: (endpoints, view) => endpoints.map(endpoint => view.metrics(endpoint).throughput),
    })
  },
})
