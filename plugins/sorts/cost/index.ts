import { definePlugin, SortStrategies } from '../../../core/index.ts'

/** The sort `cost`: the estimated cost of this request. See docs/routing.md#cost. */
export default definePlugin({
  name: 'cost-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(SortStrategies, {
      name: 'cost',
      description: 'The estimated cost of this request, cheapest first. Endpoints without a price come last.',
      unit: 'USD',
      first: 'lowest',
      readsCost: true,
      values: (endpoints, view) => endpoints.map(endpoint => view.costUsd(endpoint)),
    })
  },
})
