import t from 'tap'
import { sortOrder, type SortFacts } from '../../../core/testing/index.ts'
import latency from '../../../plugins/sorts/latency/index.ts'

/** Values that show by which one the order came. */
function at(latencies: (quantile: number) => number, totals: (quantile: number) => number, averages: readonly [number, number]): SortFacts {
  return { metrics: { latencyMs: latencies, totalMs: totals, averageLatencyMs: averages[0], averageTotalMs: averages[1] } }
}

const steady = at(
  () => 300,
  quantile => 900 + quantile,
  [320, 950],
)
const spiky = at(
  quantile => (quantile < 0.9 ? 100 : 5_000),
  quantile => (quantile < 0.95 ? 500 : 9_000),
  [600, 1_400],
)
const facts = { new: {}, steady, spiky }

t.test('medians and means', async t => {
  const orderOf = (sort: string) => sortOrder(latency({}), sort, facts).order
  t.same(orderOf('latency'), ['spiky', 'steady', 'new'])
  t.same(orderOf('avg_latency'), ['steady', 'spiky', 'new'])
  t.same(orderOf('e2e_latency'), ['spiky', 'steady', 'new'])
  t.same(orderOf('avg_e2e_latency'), ['steady', 'spiky', 'new'])
})

t.test('every percentile from 0 to 100, and no other', async t => {
  for (const [name, metric] of [
    ['latency', 'latencyMs'],
    ['e2e_latency', 'totalMs'],
  ] as const) {
    for (let percentile = 0; percentile <= 100; percentile++) {
      const { values } = sortOrder(latency({}), `p${percentile}_${name}`, { a: { metrics: { [metric]: (quantile: number) => quantile } } })
      if (values['a'] !== percentile / 100) t.fail(`p${percentile}_${name} was ${values['a']}`)
    }
    t.same(sortOrder(latency({}), `p95_${name}`, facts).order, ['steady', 'spiky', 'new'])
    for (const sort of [`p101_${name}`, `p05_${name}`, `p-1_${name}`, `p9.5_${name}`, `xp95_${name}`, `p95_${name}s`, `P95_${name}`])
      t.throws(() => sortOrder(latency({}), sort, facts), { status: 400, message: /is not a sort/ }, sort)
  }
})

t.test('whole answers count where none was streamed, with a warning', async t => {
  const whole = { metrics: { totalMs: (quantile: number) => 1_000 * quantile, averageTotalMs: 700 } }
  const streamed = { metrics: { latencyMs: 800, averageLatencyMs: 800, totalMs: 9_000, averageTotalMs: 9_000 } }
  for (const [sort, value] of [
    ['latency', 500],
    ['avg_latency', 700],
    ['p95_latency', 950],
  ] as const) {
    const sorted = sortOrder(latency({}), sort, { new: {}, streamed, whole })
    t.same(sorted.order, sort === 'p95_latency' ? ['streamed', 'whole', 'new'] : ['whole', 'streamed', 'new'])
    t.equal(sorted.values['whole'], value)
    t.same(sorted.warnings, [`${sort} is the time of whole answers where none was streamed: whole`])
  }
  t.same(sortOrder(latency({}), 'e2e_latency', { new: {}, streamed, whole }).warnings, [])
  t.same(sortOrder(latency({}), 'latency', { new: {}, streamed }).warnings, [])
})
