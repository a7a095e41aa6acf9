import t from 'tap'
import { ticksOf } from '../../../../plugins/endpoints/dashboard/app/pages/logs/axis.ts'
import type { Attempt, RequestRecord } from '../../../../plugins/endpoints/dashboard/app/pages/logs/record.ts'
import { endOf, startOf, timelineOf, type Step } from '../../../../plugins/endpoints/dashboard/app/pages/logs/timeline.ts'

function attempt(members: Partial<Attempt>): Attempt {
  return { provider: 'north', model: 'echo', outcome: 'ok', status: 200, elapsed_ms: 0, ...members }
}

function record(elapsedMs: number, attempts: readonly Attempt[], members: Partial<RequestRecord> = {}): RequestRecord {
  return { elapsed_ms: elapsedMs, attempts, status: 200, error_code: null, notes: [], ...members } as RequestRecord
}

const drawn = ({ name, isBeside, parts }: Step): readonly unknown[] => [
  name,
  isBeside,
  ...parts.map(({ kind, fromMs, toMs }) => `${kind} ${fromMs} to ${toMs}`),
]

t.test('a record of an earlier version, with starts only', t => {
  const failed = attempt({ provider: 'south', outcome: 'overloaded', status: 529, started_ms: 4, elapsed_ms: 96 })
  const timeline = timelineOf(record(500, [failed, attempt({ started_ms: 200, elapsed_ms: 290 })]))
  t.equal(timeline.totalMs, 500)
  t.equal(timeline.firstEventMs, null)
  t.same(timeline.steps.map(drawn), [
    ['Before the first attempt', false, 'gateway 0 to 4'],
    ['south/echo', false, 'failed 4 to 100'],
    ['Between the attempts', false, 'unknown 100 to 200'],
    ['north/echo', false, 'answer 200 to 490'],
    ['After the last attempt', false, 'unknown 490 to 500'],
  ])
  t.end()
})

t.test('waits stand before the attempt that waited, and hedges are side by side', t => {
  const slow = attempt({ outcome: 'outrun', status: null, started_ms: 50, elapsed_ms: 450 })
  const hedge = attempt({ provider: 'south', started_ms: 260, elapsed_ms: 300, first_event_ms: 90, queued_ms: 20, waited_ms: 40 })
  const timeline = timelineOf(record(560, [slow, hedge], { credit_wait_ms: 30, first_event_ms: 352 }))
  t.equal(timeline.firstEventMs, 352)
  t.same(timeline.steps.map(drawn), [
    ['Before the first attempt', false, 'gateway 0 to 20', 'credit 20 to 50'],
    ['north/echo', true, 'dropped 50 to 500'],
    ['south/echo', true, 'backoff 200 to 240', 'queue 240 to 260', 'first 260 to 350', 'answer 350 to 560'],
  ])
  const [, , last] = timeline.steps
  t.same([startOf(last!), endOf(last!)], [260, 560])
  t.end()
})

t.test('rounding adds no parts', t => {
  const timeline = timelineOf(record(2.1, [attempt({ started_ms: 0.4, elapsed_ms: 1.2, first_event_ms: 0.9 })]))
  t.same(
    timeline.steps.flatMap(({ parts }) => parts.map(({ kind }) => kind)),
    ['gateway', 'first', 'answer', 'unknown'],
  )
  t.end()
})

t.test('attempts stand in the order in which they began, though records have them as they ended', t => {
  const late = attempt({ provider: 'late', started_ms: 100, elapsed_ms: 10 })
  const early = attempt({ provider: 'early', outcome: 'outrun', started_ms: 1, elapsed_ms: 120 })
  t.same(
    timelineOf(record(121, [late, early])).steps.flatMap(({ attempt }) => attempt?.provider ?? []),
    ['early', 'late'],
  )
  t.end()
})

t.test('without starts, one attempt follows the other, and one that was outrun ended with it', t => {
  const steps = timelineOf(
    record(300, [
      attempt({ outcome: 'timeout', elapsed_ms: 100 }),
      attempt({ elapsed_ms: 200 }),
      attempt({ outcome: 'outrun', elapsed_ms: 50 }),
    ]),
  ).steps
  t.same(
    steps.map(step => [startOf(step), endOf(step)]),
    [
      [0, 100],
      [100, 300],
      [250, 300],
    ],
  )
  t.end()
})

t.test('requests without an attempt, of no time, and with waits that cannot be', t => {
  t.same(timelineOf(record(2, [])).steps.map(drawn), [['In the gateway', false, 'gateway 0 to 2']])
  t.same(timelineOf(record(2_000, [], { credit_wait_ms: 2_500 })).steps.map(drawn), [['In the gateway', false, 'credit 0 to 2000']])
  t.same(timelineOf(record(0, [])).steps, [])
  t.ok(timelineOf(record(0, [])).totalMs > 0)
  const odd = timelineOf(record(5, [attempt({ started_ms: 1, elapsed_ms: 3, queued_ms: 9, waited_ms: 9, first_event_ms: 99 })]))
  for (const { parts } of odd.steps)
    for (const { fromMs, toMs } of parts) t.ok(fromMs >= 0 && toMs >= fromMs && toMs <= odd.totalMs, `${fromMs} to ${toMs}`)
  t.end()
})

t.test('axes have round labels, from 2 ms to 20 minutes', t => {
  const minute = 60_000
  t.same(
    ticksOf(2),
    [0, 0.5, 1, 1.5, 2].map(each => each),
  )
  t.same(ticksOf(490), [0, 100, 200, 300, 400])
  t.same(ticksOf(2_600), [0, 1_000, 2_000])
  t.same(
    ticksOf(20 * minute),
    [0, 5, 10, 15, 20].map(each => each * minute),
  )
  for (const total of [0.001, 0.37, 7, 64, 999, 1_001, 59_999, 61_000, 3_600_000, 9e7, 1e9]) {
    const ticks = ticksOf(total)
    t.ok(ticks.length >= 2 && ticks.length <= 6 && ticks.at(-1)! <= total * 1.000001, `${total}: ${ticks.join(', ')}`)
  }
  t.end()
})
