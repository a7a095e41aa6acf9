import { definePlugin, SortStrategies } from '../../../core/index.ts'

/** The sort `uptime`: the share of attempts without a fault of the provider. */
export default definePlugin({
  name: 'uptime-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(SortStrategies, {
      name: 'uptime',
      description: 'The share of attempts without a fault of the provider, highest first.',
      first: 'highest',
      values: (endpoints, view) => endpoints.map(endpoint => view.metrics(endpoint).uptime),
    })
  },
})
