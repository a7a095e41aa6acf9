import type { Test } from 'tap'
import type { LogSink, RequestRecord } from '../../../core/index.ts'
import { testRecord } from '../../../core/testing/index.ts'
import type { RecordStore } from '../../../core/stores.ts'

const at = Date.UTC(2026, 0, 1, 12, 30)

/** A record of the minute `index`. */
export function record(index: number, members: Partial<RequestRecord> = {}): RequestRecord {
  return testRecord({
    id: `req_${String(index).padStart(6, '0')}`,
    answerId: `resp_${index}`,
    at: at + index * 60_000,
    elapsedMs: 12.345,
    keyId: 'key_1',
    org: 'example',
    user: 'ada',
    owner: 'example/user/ada',
    stream: true,
    requestedModel: 'auto',
    model: 'demo',
    provider: 'acme',
    attempts: [{ provider: 'acme', model: 'demo', outcome: 'ok', status: 200, elapsedMs: 11 }],
    usage: { uncachedInput: 10, cacheRead: 5, cacheWrite5m: 1, cacheWrite1h: 2, output: 20, reasoning: 3, webSearches: 0 } as never,
    costUsd: 0.001,
    policy: { zdr: { value: false, source: 'key' } } as never,
    notes: [{ kind: 'demo', summary: { count: 1 } }],
    ...members,
  })
}

/** The members of a record without an attempt. */
const unasked = { model: null, provider: null, attempts: [], usage: null, costUsd: null } as const

const noContent = { request: null, response: null } as const

/** Every store of records passes this. `holdsContent`: it keeps the content of requests. */
export async function checkRecords(t: Test, sink: LogSink, store: RecordStore, holdsContent: boolean): Promise<void> {
  const content = { request: { input: 'naïve \u0000 “text” \ud800' }, response: { output: [] }, kept: { demo: { a: 'naïve' } } }
  const records = [
    record(0),
    record(1, { ...unasked, status: 429, errorCode: 'rate_limit_exceeded', answerId: null }),
    record(2, { keyId: 'key_2', org: 'another', team: 'research', user: null, costUsd: 0.5 }),
    record(3, { ...unasked, keyId: null, org: null, user: null, owner: null, status: 401, policy: null }),
    record(60, { requestedModel: 'a\u0000b \ud800', costUsd: null, ...content }),
  ]
  await sink.write(records)
  await sink.write([record(61)])
  const ids = async (filter: Parameters<RecordStore['page']>[0]): Promise<readonly number[]> =>
    (await store.page(filter, { limit: 10 })).map(({ id }) => Number(id.slice(4)))

  t.same(await ids({}), [61, 60, 3, 2, 1, 0], 'the newest first')
  const { request: _, response: __, ...facts } = records[0]!
  t.strictSame({ ...(await store.find('req_000000')), ...noContent }, { ...facts, ...noContent })
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
  for (const minCostUsd of [0.0011, 0.01, 0.1, 0.5]) t.same(await ids({ minCostUsd }), [2])
  for (const minCostUsd of [0.51, 1, 7.5]) t.same(await ids({ minCostUsd }), [])
  t.same(await ids({ minCostUsd: 0.001 }), [61, 2, 0])
  t.same(await ids({ minCostUsd: 0 }), [61, 60, 3, 2, 1, 0], 'an unknown cost counts as 0')
  t.same(await ids({ minCostUsd: 0.2, key: 'key_2', org: 'another', status: 200, from: at, to: at + 3 * 60_000 }), [2])
  t.same(await ids({ minCostUsd: 0.2, key: 'key_1' }), [])
  const all = { key: 'key_1', org: 'example', user: 'ada', model: 'demo', provider: 'acme' }
  t.same(await ids({ ...all, status: 200 }), [61, 60, 0])
  t.same(await ids({ ...all, team: 'research', status: 'error' }), [])
  t.same(await ids({ key: 'key_1', status: 'error' }), [1])
  t.same(await ids({ org: 'example', status: 'error', from: at, to: at + 60_001 }), [1])
  t.same(await ids({ ...all, id: 'resp_60' }), [60])
  t.same(await ids({ id: 'resp_1', status: 200 }), [])
  t.same(await ids({ model: "' or 1=1 --" }), [])

  t.strictSame(await store.content('req_000060'), holdsContent ? content : undefined)
  t.equal(await store.content('req_000000'), undefined)

  const hourly = await store.usage({ from: at - 1, to: at + 86_400_000, bucket: 'hour', groupBy: ['org', 'key'], limit: 100 })
  const hour = Date.UTC(2026, 0, 1, 12)
  const sums = { inputTokens: 18, cachedTokens: 5, outputTokens: 20 }
  const noErrors = { caller: 0, policy: 0, vendor: 0, gateway: 0 }
  t.same(
    hourly.toSorted((a, b) => a.at - b.at || String(a.group!.key).localeCompare(String(b.group!.key))),
    [
      {
        at: hour,
        group: { org: 'example', key: 'key_1' },
        requests: 2,
        errors: 1,
        errorsBy: { ...noErrors, policy: 1 },
        attempts: 1,
        failedAttempts: 0,
        faults: 0,
        ...sums,
        costUsd: 0.001,
        unpriced: 0,
      },
      {
        at: hour,
        group: { org: 'another', key: 'key_2' },
        requests: 1,
        errors: 0,
        errorsBy: noErrors,
        attempts: 1,
        failedAttempts: 0,
        faults: 0,
        ...sums,
        costUsd: 0.5,
        unpriced: 0,
      },
      {
        at: hour,
        group: { org: null, key: null },
        requests: 1,
        errors: 1,
        errorsBy: { ...noErrors, caller: 1 },
        attempts: 0,
        failedAttempts: 0,
        faults: 0,
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
        errorsBy: noErrors,
        attempts: 2,
        failedAttempts: 0,
        faults: 0,
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

  const days = { ...query, to: at + 2 * 86_400_000 }
  const total = await store.usage({ ...days, bucket: 'total', latency: true })
  t.match(total, [{ at, group: {}, requests: 6, errors: 2, latency: {} }])
  for (const ms of [total[0]!.latency!.p50Ms!, total[0]!.latency!.p95Ms!]) t.ok(Math.abs(ms / 12.345 - 1) < 0.1, `${ms} ms`)
  t.match(await store.usage({ ...query, to: at + 3 * 60_000, bucket: 'total' }), [{ at, requests: 3 }], 'a short time, of minutes')
  t.same(await store.usage({ ...days, bucket: 'total', org: 'nobody', latency: true }), [])
  t.match(
    (await store.usage({ ...days, bucket: 'day', groupBy: ['key', 'org'], top: 1, latency: true })).toSorted(
      (a, b) => b.requests - a.requests,
    ),
    [
      { group: { key: 'key_1', org: 'example' }, requests: 4, errors: 1 },
      { group: undefined, requests: 2, errors: 1, costUsd: 0.5 },
    ],
    'the largest group, and the others together',
  )
  const refused = await store.usage({ ...days, bucket: 'minute', groupBy: ['key'], latency: true })
  t.same(refused.find(({ group }) => group?.key === null)?.latency, { p50Ms: null, p95Ms: null }, 'nothing was answered')
  t.same(await ids({ status: 'error' }), [3, 1])
  t.same(await ids({ status: 'error', key: 'key_1' }), [1])
  await checkDurations(t, sink, store)
  await checkDays(t, sink, store)
  await checkZones(t, sink, store)
  const said = (index: number) => record(index, { at, keyId: 'key_4', ...content })
  await sink.write([said(70), said(71), said(72)])
  await store.eraseContent('example/user/ada', 'resp_70')
  await store.eraseContent('example/user/bob', 'resp_71')
  await store.eraseContent('example/user/ada', 'resp_73')
  await store.eraseContent('example/user/bob', 'resp_74')
  await sink.write([said(73), said(74)])
  for (const [index, isKept] of [
    [70, false],
    [71, true],
    [72, true],
    [73, false],
    [74, true],
  ] as const) {
    const id = `req_${String(index).padStart(6, '0')}`
    t.strictSame(await store.content(id), holdsContent && isKept ? content : undefined, `the content of ${id}`)
    t.ok(await store.find(id))
  }

  const use = await store.keyUse(['key_1', 'key_2', 'key_3'])
  t.same([...use.keys()].toSorted(), ['key_1', 'key_2'])
  t.same(use.get('key_1'), { requests: 4, costUsd: 0.002, lastUsedAt: at + 61 * 60_000 })
  t.same(await store.keyUse([]), new Map())

  await sink.write([1, 2, 3].map(index => record(30_000 + index, { keyId: 'key_rich', org: 'rich', costUsd: 5_000_000 })))
  const rich = { from: at + 30_000 * 60_000, to: at + 40_000 * 60_000, bucket: 'total', groupBy: [], org: 'rich', limit: 1 } as const
  t.match(await store.usage(rich), [{ costUsd: 15_000_000 }], 'more billionths of a dollar than a number can count')
  t.equal((await store.keyUse(['key_rich'])).get('key_rich')?.costUsd, 15_000_000)
}

/** Sums over days and hours agree, wherever a time begins and ends. */
async function checkDays(t: Test, sink: LogSink, store: RecordStore): Promise<void> {
  const start = Date.UTC(2026, 5, 1)
  const hourMs = 3_600_000
  const records = Array.from({ length: 200 }, (_, index) =>
    record(20_000 + index, { org: 'days', team: index % 2 === 0 ? 'even' : 'odd', keyId: null, at: start + index * hourMs * 0.75 }),
  )
  await sink.write(records)
  const groupsOfDays = { model: 'demo', provider: 'acme', org: 'days', key: null, team: null }
  const everything = await store.usage({
    from: start,
    to: start + 150 * hourMs,
    bucket: 'total',
    groupBy: ['model', 'provider'],
    limit: 10,
  })
  t.match(everything, [{ group: { model: 'demo', provider: 'acme' }, requests: 200 }], 'without keys')
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
    const wanted = records.filter(({ at }) => at >= span.from && at < span.to)
    for (const team of ['even', 'odd']) {
      const ofTeam = wanted.filter(each => each.team === team)
      const inDay = Map.groupBy(ofTeam, each => each.at - (each.at % (24 * hourMs)))
      const days = await store.usage({ ...query, ...span, team, bucket: 'day', latency: true })
      t.same(
        days.map(({ at, requests, inputTokens }) => [at, requests, inputTokens]),
        Array.from(inDay, ([at, those]) => [at, those.length, 18 * those.length]),
        `days of ${team} from ${from} to ${to}`,
      )
      t.ok(days.every(({ latency }) => latency!.p50Ms !== null))
      t.match(await store.usage({ ...query, ...span, team, bucket: 'total' }), [{ requests: ofTeam.length }])
      for (const groupBy of [['model'], ['model', 'key'], ['provider', 'org'], ['key'], []] as const)
        t.match(
          await store.usage({ ...span, org: 'days', team, bucket: 'total', groupBy, limit: 10 }),
          [{ requests: ofTeam.length, group: Object.fromEntries(groupBy.map(group => [group, groupsOfDays[group]])) }],
          groupBy.join(),
        )
    }
  }
}

/** Days of a time zone, also where clocks change and where zones differ from UTC by parts of an hour. */
async function checkZones(t: Test, sink: LogSink, store: RecordStore): Promise<void> {
  const stepMs = 11 * 60_000
  let index = 40_000
  for (const [timeZone, start] of [
    ['UTC', Date.UTC(2025, 2, 28)],
    ['Europe/Berlin', Date.UTC(2025, 2, 28)],
    ['Europe/Berlin', Date.UTC(2025, 9, 24)],
    ['America/Los_Angeles', Date.UTC(2025, 2, 7)],
    ['America/Los_Angeles', Date.UTC(2025, 10, 1)],
    ['Asia/Kathmandu', Date.UTC(2025, 2, 28)],
    ['Asia/Kolkata', Date.UTC(2025, 9, 24)],
    ['Australia/Lord_Howe', Date.UTC(2025, 3, 4)],
    ['America/Santiago', Date.UTC(2025, 8, 5)],
  ] as const) {
    const org = `zone ${timeZone} ${start}`
    const records = Array.from({ length: 480 }, (_, step) =>
      record(index++, { org, keyId: step % 3 === 0 ? 'key_a' : 'key_b', at: start + step * stepMs, elapsedMs: 1 + step }),
    )
    await sink.write(records)
    const date = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
    for (const [from, to] of [
      [start - 86_400_000, start + 6 * 86_400_000],
      [start + 9 * stepMs, start + 433 * stepMs],
      [start + 30 * stepMs, start + 33 * stepMs],
    ] as const) {
      const wanted = records.filter(({ at }) => at >= from && at < to)
      const days = Array.from(
        Map.groupBy(wanted, ({ at }) => date.format(at)),
        ([day, those]) => [day, those.length, 18 * those.length],
      )
      for (const groupBy of [[], ['model', 'provider'], ['org']] as const) {
        const found = await store.usage({ from, to, org, bucket: 'day', timeZone, groupBy, latency: true, limit: 100 })
        t.same(
          found.map(({ at, requests, inputTokens }) => [date.format(at), requests, inputTokens]),
          days,
          `${timeZone} from ${new Date(from).toISOString()} by ${groupBy.join() || 'nothing'}`,
        )
        t.ok(
          found.every(({ at }) => date.format(at - 1) !== date.format(at)),
          'each begins with its day',
        )
        for (const { at, latency } of found) {
          const own = wanted.filter(each => date.format(each.at) === date.format(at)).map(({ elapsedMs }) => elapsedMs)
          t.ok(latency!.p95Ms! >= own[0]! * 0.9 && latency!.p95Ms! <= own.at(-1)! * 1.1, 'the answers of that day only')
        }
      }
      const total = await store.usage({ from, to, org, bucket: 'total', groupBy: [], limit: 1 })
      t.match(total, [{ at: from, requests: wanted.length }])
      const top = await store.usage({ from, to, org, bucket: 'day', timeZone, groupBy: ['key'], top: 1, limit: 100 })
      const largest = wanted.filter(({ keyId }) => keyId === 'key_b')
      t.same(
        top.filter(({ group }) => group?.key === 'key_b').reduce((sum, { requests }) => sum + requests, 0),
        largest.length,
      )
      t.equal(
        top.reduce((sum, { requests }) => sum + requests, 0),
        wanted.length,
      )
    }
  }
}

/** From a millisecond to ten minutes. */
async function checkDurations(t: Test, sink: LogSink, store: RecordStore): Promise<void> {
  const durations = [0.2, 3, 47, 800, 2_500, 40_000, 600_000]
  await sink.write(
    durations.map((elapsedMs, index) => record(10_000 + index, { org: 'durations', model: String(index), keyId: null, elapsedMs })),
  )
  const from = at + 10_000 * 60_000
  const rows = await store.usage({
    from,
    to: from + 3_600_000,
    bucket: 'hour',
    groupBy: ['model'],
    org: 'durations',
    latency: true,
    limit: 100,
  })
  for (const [index, ms] of durations.entries()) {
    const p50Ms = rows.find(({ group }) => group?.model === String(index))!.latency!.p50Ms!
    t.ok(Math.abs(p50Ms - ms) <= Math.max(1, ms * 0.1), `${ms} ms is ${p50Ms} ms`)
  }
}
