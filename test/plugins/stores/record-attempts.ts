import type { Test } from 'tap'
import type { LogSink, RequestRecord } from '../../../core/index.ts'
import type { AttemptRecord } from '../../../core/kit.ts'
import type { RecordStore, UsageGroup, UsageQuery } from '../../../core/stores.ts'
import { record } from './records.ts'

const at = Date.UTC(2026, 0, 1, 12, 30)
const failedRequest = { answerId: null, usage: null, costUsd: null } as const

export interface OpenRecords {
  readonly sink: LogSink
  readonly store: RecordStore
}

function attempt(provider: string, model: string, outcome: string, more: Partial<AttemptRecord> = {}): AttemptRecord {
  return { provider, model, outcome, status: null, elapsedMs: 100, ...more }
}

/** How every store counts attempts, finds records by them, and names models that no catalog lists. `again` opens what `open` made. */
export async function checkAttempts(t: Test, open: () => Promise<OpenRecords>, again?: () => Promise<OpenRecords>): Promise<void> {
  await checkCounts(t, await open())
  await checkUnlisted(t, await open(), again)
}

async function checkCounts(t: Test, { sink, store }: OpenRecords): Promise<void> {
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
  const records = made.map((members, index) =>
    record(index, { at: at + index, elapsedMs: 7_000, org: index % 2 === 0 ? 'even' : 'odd', ...members }),
  )
  await sink.write(records)
  const total = { from: at, to: at + 60_000, bucket: 'total', limit: 20 } as const
  const by = async (groupBy: readonly UsageGroup[], more: Partial<UsageQuery> = {}) =>
    new Map((await store.usage({ ...total, groupBy, ...more })).map(row => [groupBy.map(group => row.group?.[group]).join('/'), row]))

  const everything = (await by([], { latency: true })).get('')!
  t.match(everything, {
    requests: 15,
    errors: 11,
    errorsBy: { caller: 3, policy: 3, vendor: 4, gateway: 1 },
    attempts: 17,
    failedAttempts: 11,
    faults: 9,
    inputTokens: 4 * 18,
  })
  t.ok(Math.abs(everything.costUsd - 0.503) < 1e-9)
  for (const ms of [everything.latency!.p50Ms!, everything.latency!.p95Ms!])
    t.ok(Math.abs(ms / 7_000 - 1) < 0.1, 'requests that were answered')
  t.ok(Math.abs(everything.attemptLatency!.p50Ms! / 500 - 1) < 0.1, 'attempts that succeeded')
  t.ok(Math.abs(everything.attemptLatency!.p95Ms! / 800 - 1) < 0.1)

  const providers = await by(['provider'], { latency: true })
  t.match(providers.get('down'), {
    requests: 1,
    errors: 1,
    attempts: 6,
    failedAttempts: 5,
    faults: 5,
    costUsd: 0,
    latency: { p50Ms: null },
  })
  t.match(providers.get('down')!.attemptLatency, { p50Ms: null, p95Ms: null })
  t.match(providers.get('slow'), { requests: 1, errorsBy: { vendor: 1 }, attempts: 2, failedAttempts: 2, inputTokens: 0 })
  t.match(providers.get('acme'), { requests: 9, attempts: 9, failedAttempts: 4, faults: 2 })
  t.match(providers.get(''), { requests: 4, errorsBy: { policy: 3, gateway: 1 }, attempts: 0 }, 'without an attempt')
  t.match((await by(['model', 'provider'])).get('small/down'), { requests: 0, attempts: 1, failedAttempts: 0 }, 'only an attempt')
  t.match([...(await by(['provider'], { top: 2 })).keys()].toSorted(), ['', 'acme', 'down'], 'attempts count among the largest, too')
  for (const bucket of ['minute', 'hour', 'day'] as const)
    t.match((await by(['provider'], { bucket })).get('down'), { requests: 1, attempts: 6, faults: 5 }, bucket)
  t.match((await by(['provider', 'org'])).get('down/even'), { requests: 0, attempts: 2 })
  t.match((await by(['org'])).get('odd'), { requests: 7, attempts: 10 })
  t.equal((await store.keyUse(['key_1'])).get('key_1')?.requests, 15, 'requests count once')

  const found = async (filter: Parameters<RecordStore['page']>[0], limit = 20): Promise<readonly number[]> =>
    (await store.page(filter, { limit })).map(({ id }) => Number(id.slice(4)))
  t.same(await found({ provider: 'down' }), [13, 3, 2, 1, 0])
  t.same(await found({ provider: 'slow' }), [2, 1])
  t.same(await found({ provider: 'down', model: 'demo' }), [3, 2, 1, 0], 'of the same attempt')
  t.same(await found({ provider: 'acme', model: 'small' }), [])
  t.same(await found({ model: 'small' }), [13])
  t.same(await found({ provider: 'down', org: 'odd', status: 200 }), [13, 1])
  t.same(await found({ provider: 'down', status: 'error' }), [3, 2])
  t.same(await found({ provider: 'down', from: at + 1, to: at + 13 }), [3, 2, 1])
  t.same(await found({ provider: 'down', id: 'req_000001' }), [1])
  t.same(await found({ provider: 'down', minCostUsd: 0.1 }), [1])
  t.same(await found({ provider: 'absent' }), [])
  const pages: string[][] = []
  for (let after: RequestRecord | undefined; ;) {
    const page = await store.page({ provider: 'down' }, { limit: 2, after })
    if (page.length === 0) break
    pages.push(page.map(({ id }) => id.slice(-2)))
    after = page.at(-1) as RequestRecord
  }
  t.same(pages, [['13', '03'], ['02', '01'], ['00']])
}

/** Usage names the first hundred of an organization. */
async function checkUnlisted(t: Test, { sink, store }: OpenRecords, again?: () => Promise<OpenRecords>): Promise<void> {
  const listed = false
  let index = 50_000
  const asked = (org: string, ...attempts: readonly AttemptRecord[]): RequestRecord => {
    const { provider, model, outcome } = attempts.at(-1)!
    const failed = outcome === 'ok' ? {} : { ...failedRequest, status: 424, errorCode: 'provider_error' }
    return record(index++, { at: at + index, org, provider, model, attempts, ...failed })
  }
  const modelsOf = async (from: RecordStore, org: string): Promise<ReadonlyMap<string, number>> => {
    const query = { from: at, to: at + 86_400_000, bucket: 'total', groupBy: ['model'], org, limit: 1_000 } as const
    return new Map((await from.usage(query)).map(({ group, attempts }) => [String(group!.model), attempts!]))
  }
  await sink.write(Array.from({ length: 60 }, (_, name) => asked('loud', attempt('acme', `aa${name}`, 'not-found', { listed }))))
  t.same([...(await modelsOf(store, 'loud'))], [['other', 60]], 'models that the vendor does not have take no place')
  for (const start of [0, 90])
    await sink.write(
      Array.from({ length: 90 }, (_, name) =>
        asked('loud', attempt('dead', `zz${start + name}`, 'network', { listed }), attempt('acme', 'demo', 'ok')),
      ),
    )
  const loud = await modelsOf(store, 'loud')
  t.equal(loud.size, 102)
  t.same([loud.get('zz0'), loud.get('zz99'), loud.get('zz100'), loud.get('demo'), loud.get('other')], [1, 1, undefined, 180, 140])
  await sink.write([
    asked('loud', attempt('acme', 'new', 'ok', { listed })),
    asked('loud', attempt('acme', 'listed', 'ok')),
    asked('loud', attempt('dead', 'zz7', 'ok', { listed })),
    asked('loud', attempt('dead', 'zz1000', 'network', { listed }), attempt('dead', 'zz1001', 'ok', { listed })),
    asked('quiet', attempt('acme', 'own', 'ok', { listed })),
  ])
  const later = await modelsOf(store, 'loud')
  t.same([later.get('new'), later.get('listed'), later.get('zz7'), later.get('other')], [undefined, 1, 2, 143])
  t.same([...(await modelsOf(store, 'quiet'))], [['own', 1]], 'every organization has a hundred')
  const query = { from: at, to: at + 86_400_000, bucket: 'total', groupBy: ['provider', 'model'], org: 'loud', limit: 1_000 } as const
  const other = (await store.usage(query)).filter(({ group }) => group!.model === 'other')
  t.same(
    other.map(({ group, requests, attempts }) => [group!.provider, requests, attempts]).toSorted(),
    [
      ['acme', 61, 61],
      ['dead', 1, 82],
    ],
    'providers stay apart',
  )
  t.equal((await store.page({ model: 'zz150' }, { limit: 2 })).length, 1, 'records keep the name')
  if (!again) return
  const restarted = await again()
  await restarted.sink.write([
    asked('loud', attempt('acme', 'newest', 'ok', { listed })),
    asked('quiet', attempt('acme', 'second', 'ok', { listed })),
  ])
  t.equal((await modelsOf(restarted.store, 'loud')).has('newest'), false, 'it holds over a restart')
  t.same([...(await modelsOf(restarted.store, 'quiet')).keys()].toSorted(), ['own', 'second'])
}
