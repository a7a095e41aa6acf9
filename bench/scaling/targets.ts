import { loadavg } from 'node:os'
import { rounded } from '../statistics.ts'

export interface Target {
  readonly target: string
  readonly value: number
  readonly atMost?: number
  readonly atLeast?: number
}

/** Prints a table, and ends with exit code 1 if a target was missed. */
export function report(targets: readonly Target[]): void {
  const rows = targets.map(({ target, value, atMost = Infinity, atLeast = -Infinity }) => ({
    target,
    measured: rounded(value, 3),
    wanted: Number.isFinite(atMost) ? `at most ${atMost}` : `at least ${atLeast}`,
    met: value <= atMost && value >= atLeast,
  }))
  console.log('| target | measured | wanted | |\n| --- | --- | --- | --- |')
  for (const { target, measured, wanted, met } of rows) console.log(`| ${target} | ${measured} | ${wanted} | ${met ? 'met' : 'missed'} |`)
  console.log(`\nload average ${loadavg()[0]!.toFixed(1)}`)
  if (rows.some(({ met }) => !met)) process.exitCode = 1
}
