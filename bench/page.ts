import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { barPlot } from './plot.ts'
import { labelOf, modeTitles, type Measured, type Row } from './report.ts'
import { groups, median, rounded } from './statistics.ts'
import type { Verdict } from './verdicts.ts'

const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url))
const plot = fileURLToPath(new URL('../docs/performance.svg', import.meta.url))
const begin = '<!-- Written by npm run bench -- --page. -->'
const end = '<!-- End of what it writes. -->'

export interface Result extends Measured {
  readonly environment: {
    readonly date: string
    readonly node: string
    readonly cpu: string | undefined
    readonly cores: number
    readonly loadAverage: readonly number[]
    readonly commit: string
  }
  readonly options: { readonly rounds: string; readonly duration: string }
  readonly rows: readonly Row[]
  readonly verdicts: readonly Verdict[]
}

/** Writes the figures of a run into docs/performance.md, and the plot next to it. */
export function writePage(result: Result): void {
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${page} must contain "${begin}" and "${end}".`)
  writeFileSync(page, `${before}${begin}\n\n${figures(result)}\n\n${end}${after}`)
  const bars = result.rows
    .filter(({ mode, concurrency, name }) => mode === 'json' && concurrency === plottedConcurrency && name !== 'none')
    .map(({ name, cpuPerRequestUs }) => ({ label: labelOf(name), value: cpuPerRequestUs, own: name === 'turnpike' }))
  if (bars.length > 0) writeFileSync(plot, barPlot(`CPU time per request, ${plottedConcurrency} at once`, 'µs', bars))
  console.log(`${page}\n${plot}`)
}

const plottedConcurrency = 32

function figures({ environment, options, rows, verdicts, starts, garbage, bursts, decision }: Result): string {
  const { date, node, cpu, cores, loadAverage, commit } = environment
  const load = Object.entries(modeTitles).flatMap(([mode, title]) => {
    const some = rows.filter(row => row.mode === mode && row.name !== 'none').toSorted((a, b) => a.concurrency - b.concurrency)
    return some.length === 0 ? [] : [`### ${title}`, loadTable(some)]
  })
  return [
    `Measured on ${date} at commit \`${commit}\`: Node.js ${node.replace('v', '')}, ${cores} cores${cpu ? `, ${cpu}` : ''}, ${options.rounds} rounds of ${options.duration} s, load average ${rounded(loadAverage[0]!, 1)}. The benchmark itself makes a load of about 2: with more, latencies say nothing.`,
    '### Targets',
    markdown(
      ['target', 'measured', 'at most', ''],
      verdicts.map(({ target, value, limit, met }) => [target, rounded(value, 3), rounded(limit, 3), met ? 'met' : 'missed']),
    ),
    ...load,
    ...(starts.length === 0
      ? []
      : [
          '### Start',
          markdown(
            ['gateway', 'first 200, ms', 'idle RSS, MB'],
            starts.map(({ name, firstReplyMs, idleRssMb }) => [
              labelOf(name),
              rounded(median(firstReplyMs), 0),
              rounded(median(idleRssMb), 0),
            ]),
          ),
        ]),
    ...(garbage.length === 0
      ? []
      : [
          '### Garbage, 32 at once',
          markdown(
            ['', 'gateway', 'kB per request', 'collecting per request, µs'],
            groups(garbage, ({ mode, name }) => `${mode} ${name}`).map(group => [
              modeTitles[group[0]!.mode],
              labelOf(group[0]!.name),
              rounded(median(group.map(({ allocatedKb }) => allocatedKb)), 1),
              rounded(median(group.map(({ collectingUs }) => collectingUs)), 1),
            ]),
          ),
        ]),
    ...(bursts.length === 0
      ? []
      : [
          '### 256 new connections at once, while 32 others are busy',
          markdown(
            ['gateway', 'median first reply, ms', 'slowest first reply, ms'],
            groups(bursts, ({ name }) => name).map(group => [
              labelOf(group[0]!.name),
              rounded(median(group.map(({ medianMs }) => medianMs)), 0),
              rounded(median(group.map(({ slowestMs }) => slowestMs)), 0),
            ]),
          ),
        ]),
    ...(decision === undefined
      ? []
      : [
          '### A decision of 20 questions, one at a time',
          markdown(
            ['gateway', 'p50, ms', 'p99, ms'],
            decision.contenders.map(({ name, p50Ms, p99Ms }) => [labelOf(name), rounded(p50Ms, 3), rounded(p99Ms, 3)]),
          ),
        ]),
  ].join('\n\n')
}

function loadTable(rows: readonly Row[]): string {
  const streams = rows[0]!.mode !== 'json'
  return markdown(
    [
      'at once',
      'gateway',
      streams ? 'CPU per event, µs' : 'CPU per request, µs',
      '±',
      'requests per second',
      'p50, ms',
      'p99, ms',
      'RSS, MB',
    ],
    rows.map(row => [
      row.concurrency,
      labelOf(row.name),
      streams ? rounded(row.cpuPerEventUs!, 2) : rounded(row.cpuPerRequestUs, 0),
      `${rounded(row.cpuSpread * 100, 0)}%`,
      row.requestsPerSecond === undefined ? '–' : rounded(row.requestsPerSecond, 0),
      rounded(row.p50Ms, 2),
      rounded(row.p99Ms, 2),
      rounded(row.rssMb, 0),
    ]),
  )
}

function markdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lineOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
  return [lineOf(head), lineOf(head.map(() => '---')), ...rows.map(lineOf)].join('\n')
}
