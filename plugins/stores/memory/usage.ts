import type { RecordFacts, UsageBucket, UsageGroup, UsageQuery, UsageRow } from '../../../core/index.ts'

type Sums = { -readonly [Member in keyof UsageRow]: UsageRow[Member] }

const bucketMs: Readonly<Record<UsageBucket, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Adds records up by time and group. */
export function usageOf(records: readonly RecordFacts[], { bucket, groupBy, limit }: UsageQuery): readonly UsageRow[] {
  const rows = new Map<string, Sums>()
  for (const record of records) {
    const at = record.at - (record.at % bucketMs[bucket])
    const group = Object.fromEntries(groupBy.map(by => [by, groupOf(record, by)]))
    const name = JSON.stringify([at, group])
    let row = rows.get(name)
    if (!row) {
      row = { at, group, requests: 0, errors: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0, unpriced: 0 }
      rows.set(name, row)
    }
    add(row, record)
  }
  return [...rows.values()].toSorted((a, b) => a.at - b.at).slice(0, limit)
}

function groupOf(record: RecordFacts, by: UsageGroup): string | null {
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
