import {
  dayStarts,
  type AnswerTimes,
  type RecordFacts,
  type UsageBucket,
  type UsageGroup,
  type UsageQuery,
  type UsageRow,
} from '../../../core/index.ts'

type Sums = { -readonly [Member in keyof UsageRow]: UsageRow[Member] }

const bucketMs: Readonly<Record<Exclude<UsageBucket, 'total'>, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Adds records up by time and group. */
export function usageOf(records: readonly RecordFacts[], query: UsageQuery): readonly UsageRow[] {
  const { latency = false, limit } = query
  const groups = groupsOf(records, query)
  const startOf = startsOf(query)
  const rows = new Map<string, { readonly sums: Sums; readonly times: number[] }>()
  for (const record of records) {
    const at = startOf(record.at)
    const group = groups(record)
    const name = JSON.stringify([at, group])
    let row = rows.get(name)
    if (!row) rows.set(name, (row = { sums: { at, group, ...nothing }, times: [] }))
    add(row.sums, record)
    if (record.provider !== null && record.status < 400) row.times.push(record.elapsedMs)
  }
  const sorted = Array.from(rows.values()).toSorted((a, b) => a.sums.at - b.sums.at)
  return sorted.slice(0, limit).map(({ sums, times }) => (latency ? { ...sums, latency: answerTimes(times) } : sums))
}

/** The start of the bucket of a time. */
function startsOf({ bucket, from, to, timeZone }: UsageQuery): (at: number) => number {
  if (bucket === 'total') return () => from
  if (bucket !== 'day' || timeZone === undefined) return at => at - (at % bucketMs[bucket])
  const days = dayStarts(from, to, timeZone)
  return at => days.findLast(day => day <= at)!
}

const nothing = { requests: 0, errors: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0, unpriced: 0 }

/** The group of each record. Undefined for what is not among the top. */
function groupsOf(records: readonly RecordFacts[], { groupBy, top }: UsageQuery): (record: RecordFacts) => UsageRow['group'] {
  const groupOf = (record: RecordFacts): NonNullable<UsageRow['group']> => Object.fromEntries(groupBy.map(by => [by, valueOf(record, by)]))
  if (top === undefined) return groupOf
  const counts = Map.groupBy(records, record => JSON.stringify(groupOf(record)))
  const largest = [...counts].toSorted(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
  const named = new Set(largest.slice(0, top).map(([group]) => group))
  return record => {
    const group = groupOf(record)
    return named.has(JSON.stringify(group)) ? group : undefined
  }
}

function valueOf(record: RecordFacts, by: UsageGroup): string | null {
  return by === 'key' ? record.keyId : record[by]
}

function add(row: Sums, { status, usage, costUsd }: RecordFacts): void {
  row.requests++
  if (status >= 400) row.errors++
  if (usage) {
    row.inputTokens += usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h
    row.cachedTokens += usage.cacheRead
    row.outputTokens += usage.output
    if (costUsd === null) row.unpriced++
  }
  row.costUsd += costUsd ?? 0
}

function answerTimes(times: readonly number[]): AnswerTimes {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share: number): number | null => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
  return { p50Ms: quantile(0.5), p95Ms: quantile(0.95) }
}
