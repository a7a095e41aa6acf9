import { loadavg } from 'node:os'
import { rounded } from '../statistics.ts'
import { writeConstants, writtenConstants } from './written-constants.ts'

export interface Target {
  readonly target: string
  readonly value: number
  readonly atMost?: number
  readonly atLeast?: number
}

export interface Row {
  readonly target: string
  readonly measured: number
  readonly wanted: string
  readonly met: boolean
}

/** Prints a table, keeps it for `model.ts --page`, and ends with exit code 1 if a target was missed. */
export function report(targets: readonly Target[]): void {
  const rows: readonly Row[] = targets.map(({ target, value, atMost = Infinity, atLeast = -Infinity }) => ({
    target,
    measured: rounded(value, 3),
    wanted: Number.isFinite(atMost) ? `at most ${atMost}` : `at least ${atLeast}`,
    met: value <= atMost && value >= atLeast,
  }))
  console.log(tableOf(rows))
  const earlier = (writtenConstants().targets ?? []) as readonly Row[]
  const others = earlier.filter(({ target }) => !rows.some(row => row.target === target))
  writeConstants('targets', [...others, ...rows])
  console.log(`\nload average ${loadavg()[0]!.toFixed(1)}`)
  if (rows.some(({ met }) => !met)) process.exitCode = 1
}

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ target, measured, wanted, met }) => `| ${target} | ${measured} | ${wanted} | ${met ? 'met' : 'missed'} |`)
  return ['| target | measured | wanted | |', '|---|---|---|---|', ...lines].join('\n')
}
