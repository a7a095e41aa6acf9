import t from 'tap'
import { ranges, spanOf } from '../../../../plugins/endpoints/dashboard/app/pages/overview/ranges.ts'
import {
  chartOf,
  everything,
  groupsIn,
  measures,
  type UsageRow,
} from '../../../../plugins/endpoints/dashboard/app/pages/overview/usage-series.ts'

const hour = 3_600_000
const start = Date.UTC(2026, 0, 1)

function row(hours: number, members: Partial<UsageRow>): UsageRow {
  const nothing = { requests: 0, errors: 0, input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost_usd: 0, unpriced: 0 }
  return { at: new Date(start + hours * hour).toISOString(), ...nothing, p50_ms: null, p95_ms: null, ...members }
}

t.test('hours without requests are 0, and have no latency', t => {
  const span = { from: start, to: start + 4 * hour, bucketMs: hour }
  const rows = [row(1, { requests: 3, p50_ms: 20 }), row(3, { requests: 1, p50_ms: 10 }), row(9, { requests: 99 })]
  t.same(chartOf(rows, span, { Requests: measures.requests }, everything), {
    times: [0, 1, 2, 3].map(hours => (start + hours * hour) / 1000),
    series: [{ label: 'Requests', values: [0, 3, 0, 1] }],
  })
  t.same(chartOf(rows, span, { p50: measures.p50 }, everything).series, [{ label: 'p50', values: [null, 20, null, 10] }])
  t.end()
})

t.test('groups come in the order of their requests, the others last', t => {
  const totals = [
    row(0, { key: null, others: true, requests: 50 }),
    row(0, { key: 'a', requests: 2 }),
    row(0, { key: null, requests: 1 }),
    row(0, { key: 'b', requests: 9 }),
  ]
  const groups = groupsIn(totals, 'key', value => value?.toUpperCase() ?? 'No key')
  t.same(
    groups.map(({ name }) => name),
    ['B', 'A', 'No key', 'Others'],
  )
  const rows = totals.map(total => ({ ...total, at: new Date(start).toISOString() }))
  const { series } = chartOf(rows, { from: start, to: start + hour, bucketMs: hour }, { Requests: measures.requests }, groups)
  t.same(series, [
    { label: 'B', values: [9] },
    { label: 'A', values: [2] },
    { label: 'No key', values: [1] },
    { label: 'Others', values: [50] },
  ])
  t.end()
})

t.test('a span ends with the bucket that goes on', t => {
  for (const range of Object.values(ranges)) {
    const now = start + 12_345_678
    const { from, to } = spanOf(range, now)
    t.ok(to > now && to - now <= range.bucketMs && to % range.bucketMs === 0)
    t.equal(to - from, range.lengthMs)
  }
  t.end()
})
