import {
  dayStarts,
  isBySession,
  recordedUsage,
  type AnswerTimes,
  type ErrorCause,
  type NamedModels,
  type RecordedUsage,
  type RecordFacts,
  type UsageBucket,
  type UsageGroup,
  type UsageQuery,
  type UsageRow,
} from '../../../core/stores.ts'

/** One record's share of the usage in one place. */
interface Counted extends RecordedUsage {
  readonly record: RecordFacts
}

type Sums = { -readonly [Member in keyof Known]: Known[Member] } & { readonly errorsBy: Record<ErrorCause, number> }
/** Nothing is unknown here. */
type Known = Omit<UsageRow, 'attempts' | 'failedAttempts' | 'faults' | 'errorsBy'> & {
  readonly attempts: number
  readonly failedAttempts: number
  readonly faults: number
}

interface Drafted {
  readonly sums: Sums
  readonly answersMs: number[]
  readonly attemptsMs: number[]
}

const bucketMs: Readonly<Record<Exclude<UsageBucket, 'total'>, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Adds records up by time and group. */
export function usageOf(records: readonly RecordFacts[], named: NamedModels, query: UsageQuery): readonly UsageRow[] {
  const { limit } = query
  const latency = query.latency === true && !isBySession(query)
  const all = records.flatMap(record => recordedUsage(record, named.has).map(usage => ({ ...usage, record })))
  const groups = groupsOf(all, query)
  const startOf = startsOf(query)
  const rows = new Map<string, Drafted>()
  for (const counted of all) {
    const at = startOf(counted.record.at)
    const group = groups(counted)
    const name = JSON.stringify([at, group])
    let row = rows.get(name)
    if (!row) rows.set(name, (row = { sums: emptySums(at, group), answersMs: [], attemptsMs: [] }))
    add(row, counted)
  }
  const sorted = Array.from(rows.values()).toSorted(
    (a, b) => a.sums.at - b.sums.at || (isBySession(query) ? b.sums.costUsd - a.sums.costUsd : 0),
  )
  return sorted
    .slice(0, limit)
    .map(({ sums, answersMs, attemptsMs }) =>
      latency ? { ...sums, latency: answerTimes(answersMs), attemptLatency: answerTimes(attemptsMs) } : sums,
    )
}

/** The start of the bucket of a time. */
function startsOf({ bucket, from, to, timeZone }: UsageQuery): (at: number) => number {
  if (bucket === 'total') return () => from
  if (bucket !== 'day' || timeZone === undefined) return at => at - (at % bucketMs[bucket])
  const days = dayStarts(from, to, timeZone)
  return at => days.findLast(day => day <= at)!
}

function emptySums(at: number, group: UsageRow['group']): Sums {
  return {
    at,
    group,
    requests: 0,
    errors: 0,
    errorsBy: { caller: 0, policy: 0, vendor: 0, gateway: 0 },
    attempts: 0,
    failedAttempts: 0,
    faults: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    unpriced: 0,
  }
}

/** The group of each record. Undefined for groups that are not among the top. */
function groupsOf(all: readonly Counted[], query: UsageQuery): (counted: Counted) => UsageRow['group'] {
  const { groupBy, top } = query
  const groupOf = (counted: Counted): NonNullable<UsageRow['group']> => Object.fromEntries(groupBy.map(by => [by, valueOf(counted, by)]))
  if (top === undefined) return groupOf
  const sizes = new Map<string, number>()
  for (const counted of all) {
    const name = JSON.stringify(groupOf(counted))
    sizes.set(name, (sizes.get(name) ?? 0) + (isBySession(query) ? counted.costUsd : counted.requests + counted.attempts))
  }
  const largest = [...sizes].toSorted(([a, some], [b, others]) => others - some || (a < b ? -1 : 1))
  const named = new Set(largest.slice(0, top).map(([group]) => group))
  return counted => {
    const group = groupOf(counted)
    return named.has(JSON.stringify(group)) ? group : undefined
  }
}

function valueOf({ record, model, provider }: Counted, by: UsageGroup): string | null {
  if (by === 'model') return model
  if (by === 'provider') return provider
  return by === 'key' ? record.keyId : record[by]
}

function add({ sums, answersMs, attemptsMs }: Drafted, counted: Counted): void {
  for (const name of addedUp) sums[name] += counted[name]
  if (counted.errorCause) {
    sums.errors++
    sums.errorsBy[counted.errorCause]++
  }
  if (counted.answerMs !== undefined) answersMs.push(counted.answerMs)
  attemptsMs.push(...counted.attemptsMs)
}

const addedUp = [
  'requests',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
  'costUsd',
  'unpriced',
  'attempts',
  'failedAttempts',
  'faults',
] as const

function answerTimes(times: readonly number[]): AnswerTimes {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share: number): number | null => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
  return { p50Ms: quantile(0.5), p95Ms: quantile(0.95) }
}
