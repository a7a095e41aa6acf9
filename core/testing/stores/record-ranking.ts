import assert from 'node:assert/strict'
import type { RequestRecord } from '../../contracts/log-sink.ts'
import { measureOf, recordMeasures, type RankedQuery, type RecordFilter } from '../../contracts/record-store.ts'
import { at, record } from './example-record.ts'
import type { RecordsUnderTest } from './records-under-test.ts'

/** Twelve requests, four of them with the same numbers, and one with none but its time. */
function requests(): readonly RequestRecord[] {
  const made: readonly Partial<RequestRecord>[] = [
    { elapsedMs: 900.125, firstEventMs: 100.5, inputTokens: 10, outputTokens: 90, costUsd: 0.02 },
    ...Array.from({ length: 4 }, () => ({ elapsedMs: 500, firstEventMs: 50, inputTokens: 20, outputTokens: 20, costUsd: 0.01 })),
    {
      elapsedMs: 1_500,
      firstEventMs: null,
      inputTokens: null,
      outputTokens: null,
      costUsd: null,
      usage: null,
      status: 504,
      reason: 'timeout',
    },
    { elapsedMs: 700, firstEventMs: 70, inputTokens: 5_000, outputTokens: 1, costUsd: 0.3, org: 'another', reason: 'vendor' },
    { elapsedMs: 20, firstEventMs: 10, inputTokens: 1, outputTokens: 1, costUsd: 0, team: 'research', user: null },
    {
      elapsedMs: 30,
      firstEventMs: 30,
      inputTokens: 2,
      outputTokens: 2,
      costUsd: 0.001,
      status: 429,
      errorCode: 'rate_limit_exceeded',
      reason: 'limit',
      reasonLevel: 'key',
    },
    { elapsedMs: 40, firstEventMs: 30, inputTokens: 2, outputTokens: 3, costUsd: 0.002, attempts: [asked('down'), asked('acme')] },
    { elapsedMs: 40, firstEventMs: 31, inputTokens: 3, outputTokens: 2, costUsd: 0.002, attempts: [asked('down'), asked('acme')] },
    { elapsedMs: 60_000, firstEventMs: 59_000, inputTokens: 8, outputTokens: 8, costUsd: 5 },
  ]
  // Two arrive in each millisecond.
  return made.map((members, index) => record(index, { at: at + Math.floor(index / 2), answerId: `resp_${index}`, ...members }))
}

function asked(provider: string): RequestRecord['attempts'][number] {
  return { provider, model: 'demo', outcome: provider === 'down' ? 'unavailable' : 'ok', status: null, elapsedMs: 10 }
}

const whole = { ascending: false, ranges: {}, among: 1_000, limit: 100 } as const

/** The ids of a list, read in pages of this size. */
async function idsOf(
  { records }: RecordsUnderTest,
  filter: RecordFilter,
  query: Partial<RankedQuery>,
  size = 100,
): Promise<readonly string[]> {
  const ids: string[] = []
  let after: RankedQuery['after']
  const asking = { by: 'at', ...whole, ...query } as const
  for (;;) {
    const page = await records.ranked!(filter, { ...asking, limit: size, after })
    ids.push(...page.records.map(({ id }) => id))
    const last = page.records.at(-1)
    if (!last || page.records.length < size) return ids
    after = { value: measureOf(last, asking.by)!, at: last.at, id: last.id }
  }
}

/** What the list should be: by the value, then the time, then the id. */
function expected(all: readonly RequestRecord[], by: RankedQuery['by'], ascending: boolean): readonly string[] {
  const sign = ascending ? 1 : -1
  return all
    .filter(each => measureOf(each, by) !== null)
    .toSorted((a, b) => sign * (measureOf(a, by)! - measureOf(b, by)! || a.at - b.at || (a.id < b.id ? -1 : 1)))
    .map(({ id }) => id)
}

export async function ranks(under: RecordsUnderTest): Promise<void> {
  if (!under.records.ranked) return
  const all = requests()
  await under.sink.write(all)
  for (const by of ['at', ...recordMeasures] as const)
    for (const ascending of [false, true])
      for (const size of [100, 5, 1])
        assert.deepEqual(
          await idsOf(under, {}, { by, ascending }, size),
          expected(all, by, ascending),
          `${by}, ${ascending ? 'ascending' : 'descending'}, pages of ${size}`,
        )
}

export async function narrowsRanks(under: RecordsUnderTest): Promise<void> {
  if (!under.records.ranked) return
  const all = requests()
  await under.sink.write(all)
  const finds = async (filter: RecordFilter, query: Partial<RankedQuery>, wanted: readonly number[]): Promise<void> =>
    assert.deepEqual(
      (await idsOf(under, filter, query, 2)).map(id => Number(id.slice('req_'.length))),
      wanted,
      JSON.stringify([filter, query]),
    )
  const bySlowness = { by: 'elapsedMs' } as const
  await finds({ failed: true }, bySlowness, [5, 6, 8])
  await finds({ failed: true, org: 'example' }, bySlowness, [5, 8])
  await finds({ reason: 'limit' }, bySlowness, [8])
  await finds({ error_code: 'rate_limit_exceeded', org: 'example', status: 'error' }, bySlowness, [8])
  await finds({ org: 'another' }, bySlowness, [6])
  await finds({ team: 'research' }, bySlowness, [7])
  await finds({ id: 'resp_7' }, bySlowness, [7])
  await finds({ id: 'req_000007', org: 'another' }, bySlowness, [])
  await finds({ provider: 'down' }, bySlowness, [10, 9])
  await finds({ provider: 'down', failed: true }, bySlowness, [])
  await finds({ provider: 'acme', model: 'demo', team: 'research' }, bySlowness, [7])
  await finds({ from: at + 1, to: at + 3 }, bySlowness, [5, 4, 3, 2])
  await finds({}, { ranges: { elapsedMs: { least: 700, most: 1_500 } } }, [6, 5, 0])
  await finds({}, { ranges: { elapsedMs: { least: 700 }, firstEventMs: { most: 100.5 } } }, [6, 0])
  await finds({}, { by: 'costUsd', ranges: { totalTokens: { least: 5, most: 40 } } }, [11, 4, 3, 2, 1, 10, 9])
  await finds({ minCostUsd: 0.3 }, { by: 'costUsd', ascending: true }, [6, 11])
  await finds({ failed: true }, { by: 'totalTokens' }, [6, 8])
  assert.deepEqual(
    (await under.records.page({ failed: true, reason: 'vendor' }, { limit: 5 })).map(({ id }) => id),
    ['req_000006'],
    'in the order of time',
  )
}

export async function boundsRanks(under: RecordsUnderTest): Promise<void> {
  const { records } = under
  if (!records.ranked) return
  const all = requests()
  await under.sink.write(all)
  const query = { by: 'elapsedMs', ...whole } as const
  const { records: among, searchedFrom } = await records.ranked({}, { ...query, among: 4 })
  const ids = among.map(({ id }) => id)
  for (const { id } of all.slice(-4)) assert.ok(ids.includes(id), `${id} is one of the newest four`)
  assert.ok(ids.length < all.length, 'not all were looked at')
  assert.ok(searchedFrom !== null && searchedFrom <= all.at(-4)!.at && searchedFrom >= all.at(-6)!.at, 'it says since when')
  assert.equal((await records.ranked({}, { ...query, among: all.length })).searchedFrom, null, 'all were looked at')
  assert.deepEqual(await records.ranked({ key: 'nobody' }, query), { records: [], searchedFrom: null })
  const after = { value: -1, at: 0, id: '' }
  assert.deepEqual(await records.ranked({}, { ...query, after }), { records: [], searchedFrom: null }, 'after the last one')
}
