import assert from 'node:assert/strict'
import type { UsageRow } from '../../contracts/record-store.ts'
import { at, dayMs, hourMs, minuteMs, record } from './example-record.ts'
import { writeExamples, type RecordsUnderTest } from './records-under-test.ts'

const query = { from: at, to: at + dayMs, groupBy: [], limit: 100 } as const
const twoDays = { ...query, to: at + 2 * dayMs } as const

/** Exactly these rows, with at least these members. */
export function hasRows(rows: readonly UsageRow[], expected: readonly object[], message?: string): void {
  assert.equal(rows.length, expected.length, message)
  assert.partialDeepStrictEqual(rows, expected, message)
}

export async function sumsHours(under: RecordsUnderTest): Promise<void> {
  await writeExamples(under)
  const hourly = await under.records.usage({ ...query, from: at - 1, bucket: 'hour', groupBy: ['org', 'key'] })
  const hour = Date.UTC(2026, 0, 1, 12)
  const noErrors = { caller: 0, policy: 0, vendor: 0, gateway: 0 }
  const one = {
    requests: 1,
    errors: 0,
    errorsBy: noErrors,
    attempts: 1,
    failedAttempts: 0,
    faults: 0,
    inputTokens: 18,
    cachedTokens: 5,
    outputTokens: 20,
    unpriced: 0,
  }
  const none = { attempts: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 }
  assert.deepEqual(
    hourly.toSorted((a, b) => a.at - b.at || String(a.group!.key).localeCompare(String(b.group!.key))),
    [
      {
        ...one,
        at: hour,
        group: { org: 'example', key: 'key_1' },
        requests: 2,
        errors: 1,
        errorsBy: { ...noErrors, policy: 1 },
        costUsd: 0.001,
      },
      { ...one, at: hour, group: { org: 'another', key: 'key_2' }, costUsd: 0.5 },
      { ...one, ...none, at: hour, group: { org: null, key: null }, errors: 1, errorsBy: { ...noErrors, caller: 1 } },
      {
        ...one,
        at: hour + hourMs,
        group: { org: 'example', key: 'key_1' },
        requests: 2,
        attempts: 2,
        inputTokens: 36,
        cachedTokens: 10,
        outputTokens: 40,
        costUsd: 0.001,
        unpriced: 1,
      },
    ],
  )
}

export async function sumsTotals(under: RecordsUnderTest): Promise<void> {
  const { records } = under
  await writeExamples(under)
  assert.equal((await records.usage({ ...query, bucket: 'minute' })).length, 6)
  hasRows(await records.usage({ ...query, bucket: 'minute', limit: 1, key: 'key_2' }), [{ at: at + 2 * minuteMs, requests: 1 }])
  assert.equal((await records.usage({ ...query, bucket: 'day', groupBy: ['model', 'provider', 'team'] })).length, 3)
  const day = Date.UTC(2026, 0, 1)
  hasRows(await records.usage({ ...query, bucket: 'day', org: 'example' }), [{ at: day, requests: 4, costUsd: 0.002 }])
  assert.deepEqual(await records.usage({ ...query, bucket: 'hour', org: 'nobody' }), [])
  const total = await records.usage({ ...twoDays, bucket: 'total', latency: true })
  hasRows(total, [{ at, group: {}, requests: 6, errors: 2, latency: {} }])
  const { p50Ms, p95Ms } = total[0]!.latency!
  for (const ms of [p50Ms!, p95Ms!]) assert.ok(Math.abs(ms / 12.345 - 1) < 0.1, `${ms} ms`)
  hasRows(await records.usage({ ...query, to: at + 3 * minuteMs, bucket: 'total' }), [{ at, requests: 3 }], 'a short time, of minutes')
  assert.deepEqual(await records.usage({ ...twoDays, bucket: 'total', org: 'nobody', latency: true }), [])
}

export async function sumsTop(under: RecordsUnderTest): Promise<void> {
  const { records } = under
  await writeExamples(under)
  const top = await records.usage({ ...twoDays, bucket: 'day', groupBy: ['key', 'org'], top: 1, latency: true })
  hasRows(
    top.toSorted((a, b) => b.requests - a.requests),
    [
      { group: { key: 'key_1', org: 'example' }, requests: 4, errors: 1 },
      { group: undefined, requests: 2, errors: 1, costUsd: 0.5 },
    ],
    'the largest group, and the others together',
  )
  const refused = await records.usage({ ...twoDays, bucket: 'minute', groupBy: ['key'], latency: true })
  const unanswered = refused.find(({ group }) => group?.key === null)
  assert.deepEqual(unanswered?.latency, { p50Ms: null, p95Ms: null }, 'nothing was answered')
}

/** Their billionths are more than a number counts exactly. */
export async function sumsLargeCosts({ records, sink }: RecordsUnderTest): Promise<void> {
  await sink.write([1, 2, 3].map(index => record(30_000 + index, { keyId: 'key_rich', org: 'rich', costUsd: 5_000_000 })))
  const from = at + 30_000 * minuteMs
  hasRows(await records.usage({ ...query, from, to: at + 40_000 * minuteMs, bucket: 'total', org: 'rich' }), [{ costUsd: 15_000_000 }])
  assert.equal((await records.keyUse(['key_rich'])).get('key_rich')?.costUsd, 15_000_000)
}
