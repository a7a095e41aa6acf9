import { definePlugin, SortStrategies } from '../../../core/index.ts'
import { secondsToAnswer } from './seconds.ts'

/** The sort `performance`, which is the default: the estimated seconds that an answer takes. See docs/routing.md#performance. */
export default definePlugin({
  name: 'performance-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(SortStrategies, {
      name: 'performance',
      description: 'The estimated seconds that an answer takes, with failures weighed in, shortest first.',
      unit: 's',
      first: 'lowest',
      isDefault: true,
      values: secondsToAnswer,
    })
  },
})
