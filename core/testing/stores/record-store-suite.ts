import assert from 'node:assert/strict'
import type { RecordFilter } from '../../contracts/record-store.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { at, minuteMs, record } from './example-record.ts'
import { onEachStore } from './on-each-store.ts'
import { countsAttempts, filtersAttempts, namesUnlisted } from './record-attempts.ts'
import { boundsRanks, narrowsRanks, ranks } from './record-ranking.ts'
import { sumsDays, sumsZones, timesAnswers } from './record-days.ts'
import { sumsSessions } from './record-sessions.ts'
import { sumsHours, sumsLargeCosts, sumsTop, sumsTotals } from './record-sums.ts'
import { content, examples, writeExamples, type RecordsUnderTest } from './records-under-test.ts'

/** For `recordStoreSuite`. */
export interface RecordStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<RecordsUnderTest>
  /** True if the store keeps the content of records. */
  readonly keepsContent: boolean
}

/** Tests for every implementation of `RecordStore`, with the log sink that fills it. */
export function recordStoreSuite(t: SuiteContext, { open, keepsContent }: RecordStoreSuiteOptions): void {
  const test = onEachStore(t, open)
  test('a record comes back to the letter, by its id or the id of its answer', comesBack)
  test('pages go back in time', pages)
  test('filters find records', filters)
  test('lists are sorted by numbers, and pages of equal ones miss and repeat nothing', ranks)
  test('sorted lists have filters and bounds', narrowsRanks)
  test('a sorted list looks at a number of the newest records, and says so', boundsRanks)
  test('content is kept and erased, even before it arrives', under => erases(under, keepsContent))
  test('the words of an error are content', under => keepsWords(under, keepsContent))
  test('the use of keys is counted', countsKeys)
  test('usage is summed up per hour and group', sumsHours)
  test('usage is summed up per minute, day and in total', sumsTotals)
  test('usage has the largest group, and the others together', sumsTop)
  test('large costs are summed up exactly', sumsLargeCosts)
  test('the time of answers is known within 10%, from a millisecond to ten minutes', timesAnswers)
  test('sums over days and hours agree, wherever a time begins and ends', sumsDays)
  test('days are those of a time zone, even where its clocks change', sumsZones)
  test('usage is summed up per session', sumsSessions)
  test('attempts are counted for the model and provider that they asked', countsAttempts)
  test('records are found by their attempts', filtersAttempts)
  test('usage names the first hundred models of an organization that no catalog lists', namesUnlisted)
}

const noContent = { request: null, response: null } as const

/** The numbers of the examples that a filter finds. */
async function numbersOf({ records }: RecordsUnderTest, filter: RecordFilter): Promise<readonly number[]> {
  return (await records.page(filter, { limit: 10 })).map(({ id }) => Number(id.slice('req_'.length)))
}

async function comesBack(under: RecordsUnderTest): Promise<void> {
  const { records } = under
  await writeExamples(under)
  const { request: _, response: __, ...facts } = examples[0]!
  assert.deepEqual({ ...(await records.find('req_000000')), ...noContent }, { ...facts, ...noContent })
  assert.equal((await records.find('resp_2'))?.id, 'req_000002', 'by the answer')
  assert.equal(await records.find('resp_unknown'), undefined)
}

async function pages(under: RecordsUnderTest): Promise<void> {
  await writeExamples(under)
  assert.deepEqual(await numbersOf(under, {}), [61, 60, 3, 2, 1, 0], 'the newest first')
  const first = await under.records.page({}, { limit: 4 })
  const last = first.at(-1)
  assert.ok(last)
  const second = await under.records.page({}, { limit: 4, after: last })
  assert.deepEqual(
    second.map(({ id }) => id),
    ['req_000001', 'req_000000'],
  )
}

async function filters(under: RecordsUnderTest): Promise<void> {
  await writeExamples(under)
  const finds = async (filter: RecordFilter, expected: readonly number[], message?: string): Promise<void> =>
    assert.deepEqual(await numbersOf(under, filter), expected, message ?? JSON.stringify(filter))
  await finds({ key: 'key_1', status: 200 }, [61, 60, 0])
  await finds({ org: 'another', team: 'research', model: 'demo', provider: 'acme' }, [2])
  await finds({ user: 'ada', from: at + minuteMs, to: at + 61 * minuteMs }, [60, 1])
  for (const minCostUsd of [0.0011, 0.01, 0.1, 0.5]) await finds({ minCostUsd }, [2])
  for (const minCostUsd of [0.51, 1, 7.5]) await finds({ minCostUsd }, [])
  await finds({ minCostUsd: 0.001 }, [61, 2, 0])
  await finds({ minCostUsd: 0 }, [61, 60, 3, 2, 1, 0], 'an unknown cost counts as 0')
  await finds({ minCostUsd: 0.2, key: 'key_2', org: 'another', status: 200, from: at, to: at + 3 * minuteMs }, [2])
  await finds({ minCostUsd: 0.2, key: 'key_1' }, [])
  const all = { key: 'key_1', org: 'example', user: 'ada', model: 'demo', provider: 'acme' }
  await finds({ ...all, status: 200 }, [61, 60, 0])
  await finds({ ...all, team: 'research', status: 'error' }, [])
  await finds({ status: 'error' }, [3, 1])
  await finds({ key: 'key_1', status: 'error' }, [1])
  await finds({ org: 'example', status: 'error', from: at, to: at + minuteMs + 1 }, [1])
  await finds({ ...all, id: 'resp_60' }, [60])
  await finds({ id: 'resp_1', status: 200 }, [])
  await finds({ model: "' or 1=1 --" }, [])
}

async function erases(under: RecordsUnderTest, keepsContent: boolean): Promise<void> {
  const { records, sink } = under
  await writeExamples(under)
  assert.deepEqual(await records.content('req_000060'), keepsContent ? content : undefined)
  assert.equal(await records.content('req_000000'), undefined)
  const said = (index: number): ReturnType<typeof record> => record(index, { at, keyId: 'key_4', ...content })
  await sink.write([said(70), said(71), said(72)])
  await records.eraseContent('example/user/ada', 'resp_70')
  await records.eraseContent('example/user/bob', 'resp_71')
  await records.eraseContent('example/user/ada', 'resp_73')
  await records.eraseContent('example/user/bob', 'resp_74')
  await sink.write([said(73), said(74)])
  for (const [index, isKept] of [
    [70, false],
    [71, true],
    [72, true],
    [73, false],
    [74, true],
  ] as const) {
    const { id } = record(index)
    assert.deepEqual(await records.content(id), keepsContent && isKept ? content : undefined, `the content of ${id}`)
    assert.ok(await records.find(id))
  }
}

async function keepsWords({ records, sink }: RecordsUnderTest, keepsContent: boolean): Promise<void> {
  const kept = { error: { message: 'The model "naïve" is unknown.', param: 'model' } }
  const failed = record(80, {
    status: 400,
    errorCode: 'model_not_found',
    errorMessage: 'The model "…" is unknown.',
    reason: 'request',
    kept,
  })
  await sink.write([failed])
  const content = { request: null, response: null, kept }
  assert.deepEqual(await records.content(failed.id), keepsContent ? content : undefined)
  assert.equal((await records.find(failed.id))?.errorMessage, failed.errorMessage)
}

async function countsKeys(under: RecordsUnderTest): Promise<void> {
  const { records } = under
  await writeExamples(under)
  const use = await records.keyUse(['key_1', 'key_2', 'key_3'])
  assert.deepEqual([...use.keys()].toSorted(), ['key_1', 'key_2'])
  assert.deepEqual(use.get('key_1'), { requests: 4, costUsd: 0.002, lastUsedAt: at + 61 * minuteMs })
  assert.deepEqual(await records.keyUse([]), new Map())
  if (!records.usedKeys) return
  const used = await records.usedKeys(0, { limit: 10 })
  assert.deepEqual(used.map(({ id }) => id).toSorted(), ['key_1', 'key_2'])
  assert.ok(used[0]!.at <= used[1]!.at, 'the earliest first')
  for (const { at: lastUsedAt, id } of used) assert.equal(lastUsedAt, use.get(id)?.lastUsedAt)
  assert.deepEqual(await records.usedKeys(0, { limit: 1 }), used.slice(0, 1))
  assert.deepEqual(await records.usedKeys(0, { limit: 10, after: used[0] }), used.slice(1))
  const { at: latest } = used[1]!
  assert.deepEqual(
    await records.usedKeys(latest, { limit: 10 }),
    used.filter(each => each.at === latest),
  )
  assert.deepEqual(await records.usedKeys(latest + 1, { limit: 10 }), [])
}
