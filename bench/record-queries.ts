import { mostRanked, type RankedQuery, type RecordFilter, type RecordStore, type UsageQuery } from '../core/stores.ts'
import { end, spanMs } from './record-rows.ts'
import { median } from './statistics.ts'

const limit = 50
const tries = 10
const from = end - spanMs / 2
const to = end - spanMs / 4
const time = { from, to }

/** Rare or absent values make a page read the most, because it never fills. */
const filters: Readonly<Record<string, RecordFilter>> = {
  everything: {},
  time,
  key: { key: 'key_3' },
  'key, time': { key: 'key_3', ...time },
  'key, time, status 200': { key: 'key_3', ...time, status: 200 },
  'key, time, rare status': { key: 'key_3', ...time, status: 529 },
  'largest key, time, rare status': { key: 'key_0', ...time, status: 529 },
  'largest key, absent status': { key: 'key_0', status: 418 },
  'key, errors': { key: 'key_3', status: 'error' },
  'key without errors, errors': { key: 'key_absent', status: 'error' },
  'key, model': { key: 'key_3', model: 'model_7' },
  'largest key, absent model': { key: 'key_0', model: 'model_absent' },
  'status 200': { status: 200 },
  'rare status': { status: 529 },
  'absent status': { status: 418 },
  errors: { status: 'error' },
  'errors, time': { status: 'error', ...time },
  organization: { org: 'org_4' },
  'organization, time': { org: 'org_4', ...time },
  'organization, status 200': { org: 'org_4', status: 200 },
  'largest organization, rare status': { org: 'org_0', status: 529 },
  'largest organization, absent status': { org: 'org_0', status: 418 },
  'organization, errors': { org: 'org_4', status: 'error' },
  'absent organization, errors': { org: 'org_absent', status: 'error' },
  'organization, model': { org: 'org_4', model: 'model_7' },
  'largest organization, absent model': { org: 'org_0', model: 'model_absent' },
  'organization, rare provider': { org: 'org_0', provider: 'provider_rare' },
  'organization, absent user': { org: 'org_0', user: 'user_absent' },
  'organization, absent team': { org: 'org_0', team: 'team_absent' },
  model: { model: 'model_7' },
  'model, time': { model: 'model_7', ...time },
  'model, errors': { model: 'model_7', status: 'error' },
  'absent model, errors': { model: 'model_absent', status: 'error' },
  'provider, time': { provider: 'provider_3', ...time },
  'rare provider': { provider: 'provider_rare' },
  'rare provider, time': { provider: 'provider_rare', ...time },
  'absent provider': { provider: 'provider_absent' },
  'provider, errors': { provider: 'provider_3', status: 'error' },
  'rare provider, errors': { provider: 'provider_rare', status: 'error' },
  'provider that only fails': { provider: 'provider_down' },
  'provider that only fails, time': { provider: 'provider_down', ...time },
  'provider that only fails, rare user': { provider: 'provider_down', user: 'user_rare' },
  'provider that only fails, absent model': { provider: 'provider_down', model: 'model_absent' },
  'provider that only fails, largest organization, absent status': { provider: 'provider_down', org: 'org_0', status: 418 },
  'provider that only fails, model': { provider: 'provider_down', model: 'model_7' },
  'team, time': { team: 'research', ...time },
  'rare team': { team: 'team_rare' },
  'absent team': { team: 'team_absent' },
  'user, time': { user: 'user_8', ...time },
  'rare user': { user: 'user_rare' },
  'absent user': { user: 'user_absent' },
  'user, errors': { user: 'user_8', status: 'error' },
  'usual cost': { minCostUsd: 0.001 },
  'cost of 2 cents': { minCostUsd: 0.02 },
  'cost of 9 cents': { minCostUsd: 0.09 },
  'cost of 20 cents, time': { minCostUsd: 0.2, ...time },
  'cost of 2 dollars': { minCostUsd: 2 },
  'key, cost of 2 dollars': { key: 'key_3', minCostUsd: 2 },
  'largest key, cost of 2 dollars': { key: 'key_0', minCostUsd: 2 },
  'rare provider, cost of 2 dollars': { provider: 'provider_rare', minCostUsd: 2 },
  'organization, cost above all': { org: 'org_4', minCostUsd: 5 },
  'cost above all': { minCostUsd: 5 },
  'cost above all, time': { minCostUsd: 5, ...time },
  'cost just below a cent': { minCostUsd: 0.009 },
}

/** Sorted lists, by the filter and what they are sorted by. */
const ranked: readonly (readonly [name: string, by: RankedQuery['by'], ranges?: RankedQuery['ranges']])[] = [
  ['everything', 'elapsedMs'],
  ['everything', 'costUsd'],
  ['everything', 'at', { elapsedMs: { least: 10_260 } }],
  ['time', 'totalTokens'],
  ['key', 'elapsedMs'],
  ['largest key, absent status', 'elapsedMs'],
  ['errors', 'elapsedMs'],
  ['errors, time', 'elapsedMs'],
  ['organization', 'firstEventMs'],
  ['largest organization, absent model', 'elapsedMs'],
  ['model', 'costUsd'],
  ['provider that only fails', 'elapsedMs'],
  ['rare provider', 'elapsedMs'],
  ['absent user', 'elapsedMs'],
]

const charts: Readonly<Record<string, Pick<UsageQuery, 'groupBy' | 'org' | 'key' | 'user' | 'top' | 'latency'>>> = {
  nothing: { groupBy: [] },
  model: { groupBy: ['model'] },
  'model, with latency': { groupBy: ['model'], latency: true },
  'the 8 largest keys': { groupBy: ['key'], top: 8 },
  'the 8 largest keys, with latency': { groupBy: ['key'], top: 8, latency: true },
  organization: { groupBy: ['org'] },
  'model, of one organization': { groupBy: ['model'], org: 'org_4' },
  'model, of one key': { groupBy: ['model'], key: 'key_3' },
  'the 8 largest models and keys': { groupBy: ['model', 'key'], top: 8 },
}

/** Reports how long pages and charts take. */
export async function queryRecords(store: RecordStore, report: (text: string) => void): Promise<void> {
  let slowest = { ms: 0, name: '' }
  const measured = async (name: string, read: () => Promise<number>): Promise<void> => {
    const times: number[] = []
    let found = 0
    const giveUpAt = performance.now() + 2_000
    while (times.length < tries && performance.now() < giveUpAt) {
      const before = performance.now()
      found = await read()
      times.push(performance.now() - before)
    }
    report(`${name}: first ${times[0]!.toFixed(1)} ms, median ${median(times).toFixed(1)} ms, ${found} rows`)
    if (times[0]! > slowest.ms) slowest = { ms: times[0]!, name }
  }
  for (const [name, filter] of Object.entries(filters)) await measured(name, async () => (await store.page(filter, { limit })).length)
  const after = { at: end - spanMs / 3, id: 'req_5' }
  for (const name of ['everything', 'key', 'key, time, status 200', 'organization', 'errors', 'model'])
    await measured(`${name}, a later page`, async () => (await store.page(filters[name]!, { limit, after })).length)
  const whole = { ascending: false, ranges: {}, among: mostRanked, limit } as const
  for (const [name, by, ranges = {}] of ranked)
    await measured(
      `${name}, sorted by ${by}${Object.keys(ranges).length > 0 ? ' within bounds' : ''}`,
      async () => (await store.ranked!(filters[name]!, { ...whole, by, ranges })).records.length,
    )
  for (const id of ['req_0_0', 'resp_33333', 'resp_33333_7', 'resp_absent'])
    await measured(`the record ${id}`, async () => ((await store.find(id)) ? 1 : 0))
  report(`the slowest first page: ${slowest.name}, ${slowest.ms.toFixed(1)} ms`)

  // From the middle of a day, so that hours are read, too.
  const span = { from: end - spanMs + 20_000_000, to: end - 1_000_000 }
  for (const [name, chart] of Object.entries(charts))
    await measured(`90 days by ${name}`, async () => (await store.usage({ ...span, ...chart, bucket: 'day', limit: 10_000 })).length)
  for (const timeZone of ['Europe/Berlin', 'Asia/Kathmandu'])
    for (const name of ['nothing', 'model', 'model, with latency'])
      await measured(
        `90 days of ${timeZone} by ${name}`,
        async () => (await store.usage({ ...span, ...charts[name]!, bucket: 'day', timeZone, limit: 10_000 })).length,
      )
  const week = { from: end - 7 * 86_400_000, to: end }
  await measured(
    '7 hours by minute and model',
    async () => (await store.usage({ from: end - 7 * 3_600_000, to: end, groupBy: ['model'], bucket: 'minute', limit: 10_000 })).length,
  )
  await measured(
    '7 days by hour and model',
    async () => (await store.usage({ ...week, groupBy: ['model'], bucket: 'hour', limit: 10_000 })).length,
  )
}
