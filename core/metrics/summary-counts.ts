import { MetricSummary, sumNames } from './metric-summary.ts'

// Summaries as whole numbers by name, so that processes can add them up in a place that knows nothing of metrics.

/** Names are short, because they travel with each number. */
export function countsOf(summary: MetricSummary): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [index, name] of sumNames.entries()) if (summary[name] !== 0) counts[index] = summary[name]
  for (const [bucket, count] of summary.latency.entries()) counts[`l${bucket}`] = count
  for (const [bucket, count] of summary.total.entries()) counts[`t${bucket}`] = count
  return counts
}

/** Ignores what it does not know: another process may be of a later version. */
export function summaryOfCounts(counts: Readonly<Record<string, unknown>>): MetricSummary {
  const summary = new MetricSummary()
  const latency: [number, number][] = []
  const total: [number, number][] = []
  for (const [name, count] of Object.entries(counts)) {
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count <= 0) continue
    const buckets = name.startsWith('l') ? latency : name.startsWith('t') ? total : undefined
    const number = Number(buckets ? name.slice(1) : name)
    if (!Number.isSafeInteger(number) || number < 0) continue
    if (buckets) buckets.push([number, count])
    else if (number < sumNames.length) summary[sumNames[number]!] = count
  }
  summary.latency.addAll(latency)
  summary.total.addAll(total)
  return summary
}
