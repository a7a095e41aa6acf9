import t from 'tap'
import { sortOrder } from '../../../core/testing/index.ts'
import uptime from '../../../plugins/sorts/uptime/index.ts'

t.test('the highest share comes first, and endpoints without data last', async t => {
  const { order } = sortOrder(uptime({}), 'uptime', {
    new: {},
    down: { metrics: { uptime: 0 } },
    best: { metrics: { uptime: 0.999 } },
    good: { metrics: { uptime: 0.98 } },
    also: { metrics: { uptime: 0.98 } },
  })
  t.same(order, ['best', 'good', 'also', 'down', 'new'])
})
