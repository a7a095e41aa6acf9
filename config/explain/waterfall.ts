import type { ShownRecord } from '../../core/contracts/record-fields.ts'
import { clean, duration, shortened } from './lines.ts'

type Attempt = ShownRecord['attempts'][number]

const longestName = 32
const fewestCells = 10
const mostCells = 40

/** A line per attempt, with a bar to scale: `·` it waited, `-` until the first event, `=` the answer. Old records have no bars. */
export function waterfall(attempts: readonly Attempt[], elapsedMs: number, width: number): readonly string[] {
  const names = attempts.map(({ provider, model }) => shortened(clean(`${provider}/${model}`), longestName))
  const nameWidth = Math.max(...names.map(({ length }) => length))
  const ends = attempts.map(({ started_ms: start = 0, elapsed_ms: took }) => start + took)
  const totalMs = Math.max(elapsedMs, ...ends, 1)
  const isMeasured = attempts.every(({ started_ms: start }) => start !== undefined)
  const cells = Math.min(mostCells, Math.floor((width - nameWidth) / 2))
  return attempts.flatMap((attempt, index) => {
    const bar = isMeasured && cells >= fewestCells ? ` |${barOf(attempt, cells, totalMs)}|` : ''
    const line = `${names[index]!.padEnd(nameWidth)}${bar} `
    const [first, ...more] = facts(attempt)
    const lines: string[] = [line + first]
    for (const fact of more) {
      const last = lines.at(-1)!
      if (last.length + 2 + fact.length <= width) lines[lines.length - 1] = `${last}, ${fact}`
      else lines.push(`  ${fact}`)
    }
    return lines.map(each => shortened(each, width))
  })
}

function barOf(attempt: Attempt, cells: number, totalMs: number): string {
  const { started_ms: start = 0, elapsed_ms: took, first_event_ms: first, queued_ms: queued = 0, waited_ms: waited = 0 } = attempt
  const cell = (ms: number): number => Math.max(0, Math.min(cells, Math.round((ms / totalMs) * cells)))
  const from = Math.min(cell(start), cells - 1)
  const to = Math.max(from + 1, cell(start + took))
  const answer = first === undefined ? to : Math.min(to, cell(start + first))
  const wait = cell(start - queued - waited)
  return Array.from({ length: cells }, (_, at) => {
    if (at < from) return at >= wait && queued + waited > 0 ? '·' : ' '
    if (at >= to) return ' '
    return at < answer ? '-' : '='
  }).join('')
}

function facts(attempt: Attempt): readonly string[] {
  const { outcome, status, vendor_code: code, first_event_ms: first, queued_ms: queued, waited_ms: waited } = attempt
  const { elapsed_ms: took, request_id: id } = attempt
  return [
    `${duration(took)} ${outcome}${status === null ? '' : ` ${status}`}`,
    ...(code === undefined ? [] : [clean(code)]),
    ...(first === undefined ? [] : [`first event after ${duration(first)}`]),
    ...(queued === undefined ? [] : [`queued ${duration(queued)}`]),
    ...(waited === undefined ? [] : [`waited ${duration(waited)} after a failure`]),
    ...(id === undefined ? [] : [`vendor's id ${clean(id)}`]),
  ]
}
