import t from 'tap'
import { dayStarts } from '../../../core/foundation/day-starts.ts'

function startsOf(from: string, to: string, timeZone: string): readonly string[] {
  return dayStarts(Date.parse(from), Date.parse(to), timeZone).map(at => new Date(at).toISOString().replace(/:00\.000Z$/, 'Z'))
}

t.test('days begin at midnight of the zone, also where clocks change', async t => {
  t.same(startsOf('2026-01-01T00:00Z', '2026-01-03T00:00Z', 'UTC'), ['2026-01-01T00:00Z', '2026-01-02T00:00Z'])
  t.same(startsOf('2026-03-29T12:00Z', '2026-03-30T12:00Z', 'Europe/Berlin'), ['2026-03-28T23:00Z', '2026-03-29T22:00Z'])
  t.same(startsOf('2026-10-25T12:00Z', '2026-10-26T12:00Z', 'Europe/Berlin'), ['2026-10-24T22:00Z', '2026-10-25T23:00Z'])
  t.same(startsOf('2026-03-08T12:00Z', '2026-03-09T12:00Z', 'America/Los_Angeles'), ['2026-03-08T08:00Z', '2026-03-09T07:00Z'])
  t.same(startsOf('2026-11-01T12:00Z', '2026-11-02T12:00Z', 'America/Los_Angeles'), ['2026-11-01T07:00Z', '2026-11-02T08:00Z'])
  t.same(startsOf('2026-03-28T18:14Z', '2026-03-28T18:16Z', 'Asia/Kathmandu'), ['2026-03-27T18:15Z', '2026-03-28T18:15Z'])
})

t.test('clocks may change at midnight, and a date may be left out', async t => {
  t.same(startsOf('2025-09-06T12:00Z', '2025-09-08T12:00Z', 'America/Santiago'), [
    '2025-09-06T04:00Z',
    '2025-09-07T04:00Z',
    '2025-09-08T03:00Z',
  ])
  t.same(startsOf('2011-12-30T00:00Z', '2011-12-31T00:00Z', 'Pacific/Apia'), ['2011-12-29T10:00Z', '2011-12-30T10:00Z'])
})

t.test('the bounds of a day belong to it and to the next one', async t => {
  t.same(startsOf('2026-03-28T23:00Z', '2026-03-29T22:00Z', 'Europe/Berlin'), ['2026-03-28T23:00Z'])
  t.throws(() => startsOf('2026-03-28T23:00Z', '2026-03-29T22:00Z', 'Mars/Olympus'), RangeError)
})
