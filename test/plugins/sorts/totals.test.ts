import t from 'tap'
import { sortOrder } from '../../../core/testing/index.ts'
import totals from '../../../plugins/sorts/totals/index.ts'

const facts = {
  unused: {},
  many: { metrics: { requests: 900, inputTokens: 1_000, outputTokens: 10 } },
  long: { metrics: { requests: 3, inputTokens: 500, outputTokens: 4_000 } },
  deep: { metrics: { requests: 20, inputTokens: 3_000, outputTokens: 500 } },
}

t.test('the most used endpoint comes first', async t => {
  const orderOf = (sort: string) => sortOrder(totals({}), sort, facts).order
  t.same(orderOf('total_requests'), ['many', 'deep', 'long', 'unused'])
  t.same(orderOf('input_tokens'), ['deep', 'many', 'long', 'unused'])
  t.same(orderOf('output_tokens'), ['long', 'deep', 'many', 'unused'])
  t.same(orderOf('total_tokens'), ['long', 'deep', 'many', 'unused'])
  t.same(sortOrder(totals({}), 'total_tokens', facts).values, { unused: undefined, many: 1_010, long: 4_500, deep: 3_500 })
})
