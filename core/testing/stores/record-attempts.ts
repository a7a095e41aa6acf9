import assert from 'node:assert/strict'
import type { AttemptRecord, RequestRecord } from '../../contracts/log-sink.ts'
import type { RecordFacts, RecordFilter, RecordStore, UsageGroup, UsageQuery, UsageRow } from '../../contracts/record-store.ts'
import { at, dayMs, minuteMs, record } from './example-record.ts'
import type { RecordsUnderTest } from './records-under-test.ts'

const failedRequest = { answerId: null, usage: null, costUsd: null } as const

function attempt(provider: string, model: string, outcome: string, more: Partial<AttemptRecord> = {}): AttemptRecord {
  return { provider, model, outcome, status: null, elapsedMs: 100, ...more }
}

/** Fifteen requests within as many milliseconds. */
function requests(): readonly RequestRecord[] {
  const down = attempt('down', 'demo', 'unavailable', { elapsedMs: 3_000 })
  const slow = attempt('slow', 'demo', 'timeout', { elapsedMs: 60_000 })
  const ok = attempt('acme', 'demo', 'ok', { elapsedMs: 500 })
  const failed = { ...failedRequest, errorCode: 'provider_error', status: 424 }
  const made: readonly Partial<RequestRecord>[] = [
    { attempts: [down, ok] },
    { attempts: [down, down, slow, ok], costUsd: 0.5 },
    { ...failed, attempts: [down, slow], provider: 'slow', model: 'demo' },
    { ...failed, attempts: [down], provider: 'down', model: 'demo' },
    { ...failed, status: 400, errorCode: 'invalid_value', attempts: [attempt('acme', 'demo', 'invalid-request')] },
    { ...failed, status: 424, attempts: [attempt('acme', 'demo', 'protocol', { isFault: false })] },
    { ...failed, status: 402, errorCode: 'insufficient_credits', attempts: [], model: null, provider: null },
    { ...failed, status: 422, errorCode: 'policy_refusal', attempts: [], model: null, provider: null },
    { ...failed, status: 429, errorCode: 'rate_limit_exceeded', attempts: [], model: null, provider: null },
    { ...failed, status: 429, errorCode: 'rate_limit_exceeded', attempts: [attempt('acme', 'demo', 'rate-limit')] },
    { ...failed, status: 504, errorCode: 'provider_timeout', attempts: [attempt('acme', 'demo', 'left')] },
    { ...failed, status: 499, errorCode: null, attempts: [attempt('acme', 'demo', 'left')] },
    { ...failed, status: 503, errorCode: 'server_error', attempts: [], model: null, provider: null },
    { attempts: [attempt('down', 'small', 'outrun'), { ...ok, elapsedMs: 800 }] },
    // The stream broke off.
    { status: 200, errorCode: 'provider_error', attempts: [attempt('acme', 'demo', 'network')] },
  ]
  return made.map((members, index) =>
    record(index, { at: at + index, elapsedMs: 7_000, org: index % 2 === 0 ? 'even' : 'odd', ...members }),
  )
}

export async function countsAttempts({ records, sink }: RecordsUnderTest): Promise<void> {
  await sink.write(requests())
  const total = { from: at, to: at + minuteMs, bucket: 'total', limit: 20 } as const
  const by = async (groupBy: readonly UsageGroup[], more: Partial<UsageQuery> = {}): Promise<ReadonlyMap<string, UsageRow>> => {
    const rows = await records.usage({ ...total, groupBy, ...more })
    return new Map(rows.map(row => [groupBy.map(group => row.group?.[group]).join('/'), row]))
  }

  const everything = (await by([], { latency: true })).get('')!
  assert.partialDeepStrictEqual(everything, {
    requests: 15,
    errors: 11,
    errorsBy: { caller: 3, policy: 3, vendor: 4, gateway: 1 },
    attempts: 17,
    failedAttempts: 11,
    faults: 9,
    inputTokens: 4 * 18,
  })
  assert.ok(Math.abs(everything.costUsd - 0.503) < 1e-9)
  for (const ms of [everything.latency!.p50Ms!, everything.latency!.p95Ms!])
    assert.ok(Math.abs(ms / 7_000 - 1) < 0.1, 'requests that were answered')
  assert.ok(Math.abs(everything.attemptLatency!.p50Ms! / 500 - 1) < 0.1, 'attempts that succeeded')
  assert.ok(Math.abs(everything.attemptLatency!.p95Ms! / 800 - 1) < 0.1)

  const providers = await by(['provider'], { latency: true })
  assert.partialDeepStrictEqual(providers.get('down'), {
    requests: 1,
    errors: 1,
    attempts: 6,
    failedAttempts: 5,
    faults: 5,
    costUsd: 0,
    latency: { p50Ms: null },
  })
  assert.partialDeepStrictEqual(providers.get('down')!.attemptLatency, { p50Ms: null, p95Ms: null })
  assert.partialDeepStrictEqual(providers.get('slow'), {
    requests: 1,
    errorsBy: { vendor: 1 },
    attempts: 2,
    failedAttempts: 2,
    inputTokens: 0,
  })
  assert.partialDeepStrictEqual(providers.get('acme'), { requests: 9, attempts: 9, failedAttempts: 4, faults: 2 })
  assert.partialDeepStrictEqual(providers.get(''), { requests: 4, errorsBy: { policy: 3, gateway: 1 }, attempts: 0 }, 'without an attempt')
  assert.partialDeepStrictEqual(
    (await by(['model', 'provider'])).get('small/down'),
    { requests: 0, attempts: 1, failedAttempts: 0 },
    'only an attempt',
  )
  assert.deepEqual(
    [...(await by(['provider'], { top: 2 })).keys()].toSorted(),
    ['', 'acme', 'down'],
    'attempts count among the largest, too',
  )
  for (const bucket of ['minute', 'hour', 'day'] as const)
    assert.partialDeepStrictEqual((await by(['provider'], { bucket })).get('down'), { requests: 1, attempts: 6, faults: 5 }, bucket)
  assert.partialDeepStrictEqual((await by(['provider', 'org'])).get('down/even'), { requests: 0, attempts: 2 })
  assert.partialDeepStrictEqual((await by(['org'])).get('odd'), { requests: 7, attempts: 10 })
  assert.equal((await records.keyUse(['key_1'])).get('key_1')?.requests, 15, 'requests count once')
}

export async function filtersAttempts({ records, sink }: RecordsUnderTest): Promise<void> {
  await sink.write(requests())
  const found = async (filter: RecordFilter, limit = 20): Promise<readonly number[]> =>
    (await records.page(filter, { limit })).map(({ id }) => Number(id.slice(4)))
  assert.deepEqual(await found({ provider: 'down' }), [13, 3, 2, 1, 0])
  assert.deepEqual(await found({ provider: 'slow' }), [2, 1])
  assert.deepEqual(await found({ provider: 'down', model: 'demo' }), [3, 2, 1, 0], 'of the same attempt')
  assert.deepEqual(await found({ provider: 'acme', model: 'small' }), [])
  assert.deepEqual(await found({ model: 'small' }), [13])
  assert.deepEqual(await found({ provider: 'down', org: 'odd', status: 200 }), [13, 1])
  assert.deepEqual(await found({ provider: 'down', status: 'error' }), [3, 2])
  assert.deepEqual(await found({ provider: 'down', from: at + 1, to: at + 13 }), [3, 2, 1])
  assert.deepEqual(await found({ provider: 'down', id: 'req_000001' }), [1])
  assert.deepEqual(await found({ provider: 'down', minCostUsd: 0.1 }), [1])
  assert.deepEqual(await found({ provider: 'absent' }), [])
  const pages: string[][] = []
  for (let after: RecordFacts | undefined; ;) {
    const page = await records.page({ provider: 'down' }, { limit: 2, after })
    if (page.length === 0) break
    pages.push(page.map(({ id }) => id.slice(-2)))
    after = page.at(-1)
  }
  assert.deepEqual(pages, [['13', '03'], ['02', '01'], ['00']])
}

export async function namesUnlisted({ records, sink, reopen }: RecordsUnderTest): Promise<void> {
  const listed = false
  let index = 50_000
  const asked = (org: string, ...attempts: readonly AttemptRecord[]): RequestRecord => {
    const { provider, model, outcome } = attempts.at(-1)!
    const failed = outcome === 'ok' ? {} : { ...failedRequest, status: 424, errorCode: 'provider_error' }
    return record(index++, { at: at + index, org, provider, model, attempts, ...failed })
  }
  const modelsOf = async (from: RecordStore, org: string): Promise<ReadonlyMap<string, number>> => {
    const query = { from: at, to: at + dayMs, bucket: 'total', groupBy: ['model'], org, limit: 1_000 } as const
    return new Map((await from.usage(query)).map(({ group, attempts }) => [String(group!.model), attempts!]))
  }
  await sink.write(Array.from({ length: 60 }, (_, name) => asked('loud', attempt('acme', `aa${name}`, 'not-found', { listed }))))
  assert.deepEqual([...(await modelsOf(records, 'loud'))], [['other', 60]], 'models that the vendor does not have take no place')
  for (const start of [0, 90])
    await sink.write(
      Array.from({ length: 90 }, (_, name) =>
        asked('loud', attempt('dead', `zz${start + name}`, 'network', { listed }), attempt('acme', 'demo', 'ok')),
      ),
    )
  const loud = await modelsOf(records, 'loud')
  assert.equal(loud.size, 102)
  assert.deepEqual([loud.get('zz0'), loud.get('zz99'), loud.get('zz100'), loud.get('demo'), loud.get('other')], [1, 1, undefined, 180, 140])
  await sink.write([
    asked('loud', attempt('acme', 'new', 'ok', { listed })),
    asked('loud', attempt('acme', 'listed', 'ok')),
    asked('loud', attempt('dead', 'zz7', 'ok', { listed })),
    asked('loud', attempt('dead', 'zz1000', 'network', { listed }), attempt('dead', 'zz1001', 'ok', { listed })),
    asked('quiet', attempt('acme', 'own', 'ok', { listed })),
  ])
  const later = await modelsOf(records, 'loud')
  assert.deepEqual([later.get('new'), later.get('listed'), later.get('zz7'), later.get('other')], [undefined, 1, 2, 143])
  assert.deepEqual([...(await modelsOf(records, 'quiet'))], [['own', 1]], 'every organization has a hundred')
  const query = { from: at, to: at + dayMs, bucket: 'total', groupBy: ['provider', 'model'], org: 'loud', limit: 1_000 } as const
  const other = (await records.usage(query)).filter(({ group }) => group!.model === 'other')
  assert.deepEqual(
    other.map(({ group, requests, attempts }) => [group!.provider, requests, attempts]).toSorted(),
    [
      ['acme', 61, 61],
      ['dead', 1, 82],
    ],
    'providers stay apart',
  )
  assert.equal((await records.page({ model: 'zz150' }, { limit: 2 })).length, 1, 'records keep the name')
  if (!reopen) return
  const restarted = await reopen()
  await restarted.sink.write([
    asked('loud', attempt('acme', 'newest', 'ok', { listed })),
    asked('quiet', attempt('acme', 'second', 'ok', { listed })),
  ])
  assert.equal((await modelsOf(restarted.records, 'loud')).has('newest'), false, 'it holds over a restart')
  assert.deepEqual([...(await modelsOf(restarted.records, 'quiet')).keys()].toSorted(), ['own', 'second'])
}
