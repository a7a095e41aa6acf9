import assert from 'node:assert/strict'
import type { RequestRecord } from '../../contracts/log-sink.ts'
import type { UsageRow } from '../../contracts/record-store.ts'
import { at, dayMs, hourMs, minuteMs, record } from './example-record.ts'
import { hasRows } from './record-sums.ts'
import type { RecordsUnderTest } from './records-under-test.ts'

const [long, short, cheap] = ['ses_long', 'ses_short', 'ses_cheap']
/** Midnight in UTC after the first example. */
const midnight = Date.UTC(2026, 0, 2)
const quarterMs = 15 * minuteMs

function ofSession(index: number, session: string | null, members: Partial<RequestRecord> = {}): RequestRecord {
  return record(index, { session, org: 'sessions', ...members })
}

const asked = [
  ofSession(1_000, long, { at, costUsd: 0.01 }),
  ofSession(1_001, long, { at: at + 20 * minuteMs, costUsd: 0.02, model: 'small' }),
  ofSession(1_002, long, { at: midnight + hourMs, costUsd: 0.04, status: 500, errorCode: 'server_error' }),
  ofSession(1_003, long, { at: midnight + 40 * hourMs, costUsd: 0.08, keyId: 'key_2' }),
  ofSession(1_004, short, { at: at + minuteMs, costUsd: 1 }),
  ofSession(1_005, cheap, { at: at + minuteMs, costUsd: 0.001 }),
  ofSession(1_006, cheap, { at: at + minuteMs, costUsd: 0.001 }),
  ofSession(1_007, cheap, { at: at + minuteMs, costUsd: null }),
  ofSession(1_008, null, { at, costUsd: 5 }),
]
const query = { from: at, to: at + 4 * dayMs, bucket: 'total', org: 'sessions', groupBy: ['session'], limit: 100 } as const

export async function sumsSessions({ records, sink }: RecordsUnderTest): Promise<void> {
  for (const batch of [asked.slice(0, 6), asked.slice(6)]) await sink.write(batch)
  const rowsBy = async (more: object): Promise<readonly UsageRow[]> => {
    const rows = await records.usage({ ...query, ...more })
    const nameOf = ({ group }: UsageRow): string => JSON.stringify(group ?? null)
    return rows.toSorted((a, b) => a.at - b.at || (nameOf(a) < nameOf(b) ? -1 : 1))
  }
  const costs = (rows: readonly UsageRow[]): readonly number[] => rows.map(({ costUsd }) => Math.round(costUsd * 1e6) / 1e6)

  const all = await rowsBy({})
  hasRows(all, [
    { group: { session: cheap }, requests: 3, unpriced: 1, errors: 0 },
    { group: { session: long }, requests: 4, errors: 1, errorsBy: { caller: 0, policy: 0, vendor: 0, gateway: 1 }, inputTokens: 72 },
    { group: { session: short }, requests: 1, attempts: 1, outputTokens: 20 },
  ])
  assert.deepEqual(costs(all), [0.002, 0.15, 1], 'requests without a session do not count')
  const unsorted = await records.usage(query)
  assert.deepEqual(
    unsorted.map(({ group }) => group!.session),
    [short, long, cheap],
    'those that cost most come first',
  )
  hasRows(await rowsBy({ org: 'nobody' }), [])

  const top = await rowsBy({ top: 2 })
  hasRows(top, [{ requests: 3 }, { group: { session: long } }, { group: { session: short } }], 'those that cost least are summed up')
  assert.equal(top[0]!.group, undefined)

  const one = { session: long, org: undefined }
  assert.deepEqual(costs(await rowsBy({ ...one, groupBy: [] })), [0.15], 'one session')
  hasRows(await rowsBy({ ...one, groupBy: ['key'] }), [
    { group: { key: 'key_1' }, requests: 3 },
    { group: { key: 'key_2' }, requests: 1 },
  ])
  hasRows(await rowsBy({ ...one, groupBy: ['session', 'model'], key: 'key_2' }), [{ group: { session: long, model: 'demo' }, requests: 1 }])
  hasRows(await rowsBy({ session: 'ses_unknown', org: undefined }), [])
  assert.deepEqual(
    (await rowsBy({ ...one, groupBy: [], bucket: 'day' })).map(row => [row.at, row.requests]),
    [
      [midnight - dayMs, 2],
      [midnight, 1],
      [midnight + dayMs, 1],
    ],
  )
  assert.deepEqual(
    (await rowsBy({ ...one, groupBy: [], bucket: 'hour' })).map(row => [row.at, row.requests]),
    [
      [at - (at % hourMs), 2],
      [midnight + hourMs, 1],
      [midnight + 40 * hourMs, 1],
    ].filter(([start]) => start! < query.to),
  )
  const zone = { timeZone: 'America/Los_Angeles', from: Date.UTC(2025, 11, 31, 8), to: Date.UTC(2026, 0, 5, 8) }
  assert.deepEqual(
    (await rowsBy({ ...one, groupBy: [], bucket: 'day', ...zone })).map(row => [row.at, row.requests]),
    [
      [Date.UTC(2026, 0, 1, 8), 3],
      [Date.UTC(2026, 0, 3, 8), 1],
    ],
    'days of a time zone',
  )
  for (const [from, to, requests] of [
    [at, at + quarterMs, 1],
    [at, at + 2 * quarterMs, 2],
    [at + quarterMs, midnight + hourMs, 1],
    [at + quarterMs, midnight + hourMs + quarterMs, 2],
    [midnight - quarterMs, midnight + 41 * hourMs, 2],
    [at - 30 * dayMs, at + 30 * dayMs, 4],
  ] as const)
    assert.equal((await rowsBy({ ...one, groupBy: [], from, to }))[0]?.requests, requests, `${from - at} to ${to - at}`)
  const [timed] = await rowsBy({ ...one, groupBy: [], latency: true })
  assert.equal(timed!.latency, undefined, 'times are not known by session')

  assert.deepEqual(
    (await records.page({ session: long, status: 'error' }, { limit: 10 })).map(({ id }) => id),
    ['req_001002'],
  )
}
