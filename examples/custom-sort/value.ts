// The sort `value`: the endpoint with the most output tokens per second for each dollar comes first.

import { definePlugin, SortStrategies } from 'turnpike'

export default definePlugin({
  name: 'acme-value-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(SortStrategies, {
      name: 'value',
      description: 'Output tokens per second for each US dollar that this request costs, most first.',
      first: 'highest',
      readsCost: true,
      values: (endpoints, view) =>
        endpoints.map(endpoint => {
          const { throughput } = view.metrics(endpoint)
          const costUsd = view.costUsd(endpoint)
          return throughput === undefined || costUsd === undefined ? undefined : throughput / costUsd
        }),
    })
  },
})
