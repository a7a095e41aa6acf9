import t from 'tap'
import { sortOrder } from '../../../core/testing/index.ts'
import cost from '../../../plugins/sorts/cost/index.ts'

t.test('the cheapest comes first, and endpoints without a price last', async t => {
  const { order } = sortOrder(cost({}), 'cost', { unpriced: {}, dear: { costUsd: 0.02 }, cheap: { costUsd: 0.001 }, free: { costUsd: 0 } })
  t.same(order, ['free', 'cheap', 'dear', 'unpriced'])
})
