import t from 'tap'
import { ranges, spanOf, startsOf } from '../../../../plugins/endpoints/dashboard/app/ranges.ts'
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
  const unknown = { caller_errors: null, policy_errors: null, vendor_errors: null, attempts: null, failed_attempts: null }
  const noTimes = { p50_ms: null, p95_ms: null, attempt_p50_ms: null, attempt_p95_ms: null }
  return { at: new Date(start + hours * hour).toISOString(), ...nothing, ...unknown, ...noTimes, ...members }
}

t.test('hours without requests are 0, and have no latency', t => {
  const starts = [0, 1, 2, 3].map(hours => start + hours * hour)
  const rows = [row(1, { requests: 3, p50_ms: 20 }), row(3, { requests: 1, p50_ms: 10 }), row(9, { requests: 99 })]
  const totals = [row(0, { requests: 4, p50_ms: 18 })]
  t.same(chartOf(rows, totals, starts, { Requests: measures.requests }, everything), {
    times: starts.map(each => each / 1000),
    series: [{ label: 'Requests', values: [0, 3, 0, 1], total: 4 }],
  })
  t.same(
    chartOf(rows, totals, starts, { p50: measures.p50 }, everything).series,
    [{ label: 'p50', values: [null, 20, null, 10], total: 18 }],
    'the total of latencies is that of the whole time',
  )
  t.same(chartOf(rows, [], starts, { p50: measures.p50 }, everything).series[0]!.total, null)
  t.end()
})

t.test('errors are drawn by their causes, and what has no known cause as other', t => {
  const causes = { errors: 9, caller_errors: 4, policy_errors: 2, vendor_errors: 1, gateway_errors: 1 }
  const rows = [row(0, { requests: 9, ...causes }), row(1, { requests: 9, errors: 5 })]
  const measured = {
    Vendors: measures.vendorErrors,
    Money: measures.policyErrors,
    Callers: measures.callerErrors,
    Other: measures.otherErrors,
  }
  t.same(
    chartOf(rows, [], [start, start + hour], measured, everything).series.map(({ label, values }) => [label, values]),
    [
      ['Vendors', [1, 0]],
      ['Money', [2, 0]],
      ['Callers', [4, 0]],
      ['Other', [2, 5]],
    ],
  )
  const attempts = [row(0, { failed_attempts: 3, attempt_p50_ms: 20 })]
  const { series } = chartOf(
    attempts,
    attempts,
    [start, start + hour],
    { failed: measures.failedAttempts, p50: measures.attemptP50 },
    everything,
  )
  t.same(
    series.map(({ values, total }) => [values, total]),
    [
      [[3, 0], 3],
      [[20, null], 20],
    ],
  )
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
  const { series } = chartOf(rows, totals, [start], { Requests: measures.requests }, groups)
  t.same(series, [
    { label: 'B', values: [9], total: 9 },
    { label: 'A', values: [2], total: 2 },
    { label: 'No key', values: [1], total: 1 },
    { label: 'Others', values: [50], total: 50 },
  ])
  t.end()
})

t.test('a span ends with the bucket that goes on', t => {
  for (const range of Object.values(ranges)) {
    const now = start + 12_345_678
    const span = spanOf(range, now)
    const starts = startsOf(range, span)
    t.equal(starts[0], span.from)
    t.ok(starts.at(-1)! <= now && now < span.to, range.label)
    t.equal(starts.length, { '1h': 60, '6h': 360, '24h': 24, '7d': 168, '30d': 30, '90d': 90 }[nameOf(range)])
  }
  t.end()
})

function nameOf(range: unknown): keyof typeof ranges {
  return Object.entries(ranges).find(([, each]) => each === range)![0] as keyof typeof ranges
}

/** A case in a time zone. */
function inZone<T>(zone: string, read: () => T): T {
  const before = process.env['TZ']
  process.env['TZ'] = zone
  try {
    return read()
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
}

/** Both days on which clocks change, and one without a change. */
const changeDays = {
  UTC: ['2026-03-29', '2026-10-25', '2026-06-15'],
  'Europe/Berlin': ['2026-03-29', '2026-10-25', '2026-06-15'],
  'America/Los_Angeles': ['2026-03-08', '2026-11-01', '2026-06-15'],
  'Asia/Kathmandu': ['2026-03-29', '2026-10-25', '2026-06-15'],
} as const

t.test('days begin at midnight of the viewer, and the last one is today', t => {
  for (const [zone, days] of Object.entries(changeDays))
    for (const day of days)
      for (const [clock, after] of [
        ['00:30', 0],
        ['23:30', 0],
        ['12:00', 1],
        ['12:00', 10],
      ] as const)
        inZone(zone, () => {
          const now = new Date(`${day}T${clock}`).getTime() + after * 24 * hour
          const about = `${zone}, ${after} days after ${day} ${clock}`
          for (const name of ['30d', '90d'] as const) {
            const span = spanOf(ranges[name], now)
            const starts = startsOf(ranges[name], span)
            t.equal(starts.length, ranges[name].days, about)
            const dates = starts.map(each => new Date(each).toDateString())
            t.equal(new Set(dates).size, dates.length, `${about}: no date twice`)
            t.equal(dates.at(-1), new Date(now).toDateString(), `${about}: the last is today`)
            t.ok(
              starts.every(each => new Date(each).getHours() === 0 && new Date(each).getMinutes() === 0),
              `${about}: midnight`,
            )
          }
          const { from, to } = spanOf(ranges['7d'], now)
          t.equal(new Date(from).toTimeString().slice(0, 5), new Date(to).toTimeString().slice(0, 5), `${about}: a week begins at its hour`)
        })
  t.end()
})
