import t from 'tap'
import { sortOrder } from '../../../core/testing/index.ts'
import throughput from '../../../plugins/sorts/throughput/index.ts'

t.test('the fastest comes first, and endpoints without data last', async t => {
  const { order } = sortOrder(throughput({}), 'throughput', {
    new: {},
    slow: { metrics: { throughput: 12.5 } },
    fast: { metrics: { throughput: 140 } },
  })
  t.same(order, ['fast', 'slow', 'new'])
})
