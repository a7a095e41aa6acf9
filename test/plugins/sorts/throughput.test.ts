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

t.test('whole answers count where none was streamed, with a warning', async t => {
  const { order, values, warnings } = sortOrder(throughput({}), 'throughput', {
    new: {},
    whole: { metrics: { meanOutputTokens: 100, averageTotalMs: 2_000 } },
    slow: { metrics: { throughput: 12.5 } },
    fast: { metrics: { throughput: 140, meanOutputTokens: 100, averageTotalMs: 2_000 } },
  })
  t.same(order, ['fast', 'whole', 'slow', 'new'])
  t.equal(values['whole'], 50)
  t.same(warnings, ['throughput is that of whole answers where none was streamed: whole'])
})
