import type { Test } from 'tap'
import type { LogSink, RecordStore, RequestRecord } from '../../../core/index.ts'

const at = Date.UTC(2026, 0, 1, 12, 30)

/** A record of the minute `index`. */
export function record(index: number, members: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: `req_${String(index).padStart(6, '0')}`,
    answerId: `resp_${index}`,
    at: at + index * 60_000,
    method: 'POST',
    path: '/v1/responses',
    status: 200,
    elapsedMs: 12.345,
    keyId: 'key_1',
    org: 'example',
    team: null,
    user: 'ada',
    owner: 'example/user/ada',
    stream: true,
    requestedModel: 'auto',
    model: 'demo',
    provider: 'acme',
    attempts: [{ provider: 'acme', model: 'demo', outcome: 'ok', status: 200, elapsedMs: 11 }],
    usage: { uncachedInput: 10, cacheRead: 5, cacheWrite5m: 1, cacheWrite1h: 2, output: 20, reasoning: 3, webSearches: 0 } as never,
    costUsd: 0.001,
    errorCode: null,
    policy: { zdr: { value: false, source: 'key' } } as never,
    routing: null,
    notes: [{ kind: 'demo', summary: { count: 1 } }],
    request: null,
    response: null,
    ...members,
  }
}

/** What every store of records does. `holdsContent`: whether it keeps what was said. */
export async function checkRecords(t: Test, sink: LogSink, store: RecordStore, holdsContent: boolean): Promise<void> {
  const content = { request: { input: 'naïve \u0000 “text” \ud800' }, response: { output: [] }, kept: { demo: { a: 'naïve' } } }
  const records = [
    record(0),
    record(1, { status: 429, errorCode: 'rate_limit_exceeded', model: null, provider: null, usage: null, costUsd: null, answerId: null }),
    record(2, { keyId: 'key_2', org: 'another', team: 'research', user: null, costUsd: 0.5 }),
    record(3, { keyId: null, org: null, user: null, owner: null, status: 401, policy: null, usage: null, costUsd: null }),
    record(60, { requestedModel: 'a\u0000b \ud800', costUsd: null, ...content }),
  ]
  await sink.write(records)
  await sink.write([record(61)])
  const ids = async (filter: Parameters<RecordStore['page']>[0]): Promise<readonly number[]> =>
    (await store.page(filter, { limit: 10 })).map(({ id }) => Number(id.slice(4)))

  t.same(await ids({}), [61, 60, 3, 2, 1, 0], 'the newest first')
  const { request: _, response: __, ...facts } = records[0]!
  t.strictSame(await store.find('req_000000'), facts)
  t.strictSame((await store.find('resp_2'))?.id, 'req_000002', 'by the answer')
  t.equal(await store.find('resp_unknown'), undefined)
  const first = await store.page({}, { limit: 4 })
  t.same(
    (await store.page({}, { limit: 4, after: first.at(-1)! })).map(({ id }) => id),
    ['req_000001', 'req_000000'],
  )
  t.same(await ids({ key: 'key_1', status: 200 }), [61, 60, 0])
  t.same(await ids({ org: 'another', team: 'research', model: 'demo', provider: 'acme' }), [2])
  t.same(await ids({ user: 'ada', from: at + 60_000, to: at + 61 * 60_000 }), [60, 1])
  t.same(await ids({ minCostUsd: 0.01 }), [2])
  t.same(await ids({ id: 'resp_1', status: 200 }), [])
  t.same(await ids({ model: "' or 1=1 --" }), [])

  t.strictSame(await store.content('req_000060'), holdsContent ? content : undefined)
  t.equal(await store.content('req_000000'), undefined)

  const hourly = await store.usage({ from: at - 1, to: at + 86_400_000, bucket: 'hour', groupBy: ['org', 'key'], limit: 100 })
  const hour = Date.UTC(2026, 0, 1, 12)
  const sums = { inputTokens: 18, cachedTokens: 5, outputTokens: 20 }
  t.same(
    hourly.toSorted((a, b) => a.at - b.at || String(a.group.key).localeCompare(String(b.group.key))),
    [
      { at: hour, group: { org: 'example', key: 'key_1' }, requests: 2, errors: 1, ...sums, costUsd: 0.001, unpriced: 0 },
      { at: hour, group: { org: 'another', key: 'key_2' }, requests: 1, errors: 0, ...sums, costUsd: 0.5, unpriced: 0 },
      {
        at: hour,
        group: { org: null, key: null },
        requests: 1,
        errors: 1,
        inputTokens: 0,
        cachedTokens: 0,
        outputTokens: 0,
        costUsd: 0,
        unpriced: 0,
      },
      {
        at: hour + 3_600_000,
        group: { org: 'example', key: 'key_1' },
        requests: 2,
        errors: 0,
        inputTokens: 36,
        cachedTokens: 10,
        outputTokens: 40,
        costUsd: 0.001,
        unpriced: 1,
      },
    ],
  )
  const query = { from: at, to: at + 86_400_000, groupBy: [], limit: 100 } as const
  t.same((await store.usage({ ...query, bucket: 'minute' })).length, 6)
  t.match(await store.usage({ ...query, bucket: 'minute', limit: 1, key: 'key_2' }), [{ at: at + 120_000, requests: 1 }])
  t.match(await store.usage({ ...query, bucket: 'day', groupBy: ['model', 'provider', 'team'] }), { length: 3 })
  t.match(await store.usage({ ...query, bucket: 'day', org: 'example' }), [{ at: Date.UTC(2026, 0, 1), requests: 4, costUsd: 0.002 }])
  t.same(await store.usage({ ...query, bucket: 'hour', org: 'nobody' }), [])

  const use = await store.keyUse(['key_1', 'key_2', 'key_3'])
  t.same([...use.keys()].toSorted(), ['key_1', 'key_2'])
  t.same(use.get('key_1'), { requests: 4, costUsd: 0.002, lastUsedAt: at + 61 * 60_000 })
  t.same(await store.keyUse([]), new Map())
}
