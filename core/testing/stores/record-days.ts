import assert from 'node:assert/strict'
import { at, dayMs, hourMs, minuteMs, record } from './example-record.ts'
import { hasRows } from './record-sums.ts'
import type { RecordsUnderTest } from './records-under-test.ts'

export async function timesAnswers({ records, sink }: RecordsUnderTest): Promise<void> {
  const durations = [0.2, 3, 47, 800, 2_500, 40_000, 600_000]
  const org = 'durations'
  await sink.write(durations.map((elapsedMs, index) => record(10_000 + index, { org, model: String(index), keyId: null, elapsedMs })))
  const from = at + 10_000 * minuteMs
  const rows = await records.usage({ from, to: from + hourMs, bucket: 'hour', groupBy: ['model'], org, latency: true, limit: 100 })
  for (const [index, ms] of durations.entries()) {
    const p50Ms = rows.find(({ group }) => group?.model === String(index))!.latency!.p50Ms!
    assert.ok(Math.abs(p50Ms - ms) <= Math.max(1, ms * 0.1), `${ms} ms is ${p50Ms} ms`)
  }
}

export async function sumsDays({ records, sink }: RecordsUnderTest): Promise<void> {
  const start = Date.UTC(2026, 5, 1)
  const written = Array.from({ length: 200 }, (_, index) =>
    record(20_000 + index, { org: 'days', team: index % 2 === 0 ? 'even' : 'odd', keyId: null, at: start + index * hourMs * 0.75 }),
  )
  await sink.write(written)
  const everything = { from: start, to: start + 150 * hourMs, bucket: 'total', limit: 10 } as const
  const groupsOfDays = { model: 'demo', provider: 'acme', org: 'days', key: null, team: null }
  hasRows(
    await records.usage({ ...everything, groupBy: ['model', 'provider'] }),
    [{ group: { model: 'demo', provider: 'acme' }, requests: 200 }],
    'without keys',
  )
  const query = { org: 'days', groupBy: ['team'], limit: 1_000 } as const
  for (const [from, to] of [
    [0, 24],
    [0, 150],
    [5, 20],
    [5, 30],
    [5, 100],
    [30, 72],
    [47, 145],
  ] as const) {
    const span = { from: start + from * hourMs, to: start + to * hourMs }
    const wanted = written.filter(each => each.at >= span.from && each.at < span.to)
    for (const team of ['even', 'odd']) {
      const ofTeam = wanted.filter(each => each.team === team)
      const inDay = Map.groupBy(ofTeam, each => each.at - (each.at % dayMs))
      const days = await records.usage({ ...query, ...span, team, bucket: 'day', latency: true })
      assert.deepEqual(
        days.map(row => [row.at, row.requests, row.inputTokens]),
        Array.from(inDay, ([day, those]) => [day, those.length, 18 * those.length]),
        `days of ${team} from ${from} to ${to}`,
      )
      assert.ok(days.every(({ latency }) => latency!.p50Ms !== null))
      hasRows(await records.usage({ ...query, ...span, team, bucket: 'total' }), [{ requests: ofTeam.length }])
      for (const groupBy of [['model'], ['model', 'key'], ['provider', 'org'], ['key'], []] as const) {
        const total = await records.usage({ ...span, org: 'days', team, bucket: 'total', groupBy, limit: 10 })
        const group = Object.fromEntries(groupBy.map(name => [name, groupsOfDays[name]]))
        hasRows(total, [{ requests: ofTeam.length, group }], groupBy.join())
      }
    }
  }
}

/** Clocks change, or the zone differs from UTC by parts of an hour. */
const zones = [
  ['UTC', Date.UTC(2025, 2, 28)],
  ['Europe/Berlin', Date.UTC(2025, 2, 28)],
  ['Europe/Berlin', Date.UTC(2025, 9, 24)],
  ['America/Los_Angeles', Date.UTC(2025, 2, 7)],
  ['America/Los_Angeles', Date.UTC(2025, 10, 1)],
  ['Asia/Kathmandu', Date.UTC(2025, 2, 28)],
  ['Asia/Kolkata', Date.UTC(2025, 9, 24)],
  ['Australia/Lord_Howe', Date.UTC(2025, 3, 4)],
  ['America/Santiago', Date.UTC(2025, 8, 5)],
] as const

export async function sumsZones(under: RecordsUnderTest): Promise<void> {
  for (const [index, [timeZone, start]] of zones.entries()) await sumsZone(under, timeZone, start, 40_000 + 480 * index)
}

async function sumsZone({ records, sink }: RecordsUnderTest, timeZone: string, start: number, firstIndex: number): Promise<void> {
  const stepMs = 11 * minuteMs
  const org = `zone ${timeZone} ${start}`
  const written = Array.from({ length: 480 }, (_, step) =>
    record(firstIndex + step, { org, keyId: step % 3 === 0 ? 'key_a' : 'key_b', at: start + step * stepMs, elapsedMs: 1 + step }),
  )
  await sink.write(written)
  const date = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  for (const [from, to] of [
    [start - dayMs, start + 6 * dayMs],
    [start + 9 * stepMs, start + 433 * stepMs],
    [start + 30 * stepMs, start + 33 * stepMs],
  ] as const) {
    const wanted = written.filter(each => each.at >= from && each.at < to)
    const days = Array.from(
      Map.groupBy(wanted, each => date.format(each.at)),
      ([day, those]) => [day, those.length, 18 * those.length],
    )
    for (const groupBy of [[], ['model', 'provider'], ['org']] as const) {
      const found = await records.usage({ from, to, org, bucket: 'day', timeZone, groupBy, latency: true, limit: 100 })
      assert.deepEqual(
        found.map(row => [date.format(row.at), row.requests, row.inputTokens]),
        days,
        `${timeZone} from ${new Date(from).toISOString()} by ${groupBy.join() || 'nothing'}`,
      )
      assert.ok(
        found.every(row => date.format(row.at - 1) !== date.format(row.at)),
        'each begins with its day',
      )
      for (const row of found) {
        const own = wanted.filter(each => date.format(each.at) === date.format(row.at)).map(({ elapsedMs }) => elapsedMs)
        const p95Ms = row.latency!.p95Ms!
        assert.ok(p95Ms >= own[0]! * 0.9 && p95Ms <= own.at(-1)! * 1.1, 'the answers of that day only')
      }
    }
    const total = await records.usage({ from, to, org, bucket: 'total', groupBy: [], limit: 1 })
    hasRows(total, [{ at: from, requests: wanted.length }])
    const top = await records.usage({ from, to, org, bucket: 'day', timeZone, groupBy: ['key'], top: 1, limit: 100 })
    const requestsOf = (rows: typeof top): number => rows.reduce((sum, { requests }) => sum + requests, 0)
    assert.equal(requestsOf(top.filter(({ group }) => group?.key === 'key_b')), wanted.filter(({ keyId }) => keyId === 'key_b').length)
    assert.equal(requestsOf(top), wanted.length)
  }
}
