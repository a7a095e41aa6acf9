import type { Outcome } from './outcome.ts'
import { shardOf } from './plan.ts'

const maxFiles = 20

export interface Report {
  readonly text: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The end of a run: the slowest files, what was skipped and why, and the counts. */
export function report(outcomes: readonly Outcome[]): Report {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  const passed = sum(outcome => outcome.passed)
  const failed = sum(outcome => outcome.failed)
  const skipped = sum(outcome => outcome.skipped)
  const slowest = outcomes
    .flatMap(({ times }) => times)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, maxFiles)
  const shares = Map.groupBy(
    outcomes.flatMap(({ times }) => times),
    ({ file }) => shardOf(file).name,
  )
  const reasons = Map.groupBy(
    outcomes.flatMap(outcome => outcome.reasons),
    reason => reason,
  )
  const lines = [
    '',
    `The slowest ${slowest.length === maxFiles ? `${maxFiles} files` : 'files'}:`,
    ...slowest.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`),
    '',
    `Seconds by shard: ${[...shares].map(([name, times]) => `${name} ${Math.round(times.reduce((total, { ms }) => total + ms, 0) / 1000)}`).join(', ')}`,
    ...(reasons.size > 0 ? ['', 'Skipped:'] : []),
    ...[...reasons].map(([reason, all]) => `${String(all.length).padStart(7)}    ${reason === '' ? 'without a reason' : reason}`),
    '',
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ]
  return { text: lines.join('\n'), passed, failed, skipped }
}
