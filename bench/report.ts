import type { Burst } from './burst.ts'
import type { ContenderName, Mode } from './contenders.ts'
import type { DecisionLatency } from './decision-latency.ts'
import type { GarbagePerRequest } from './garbage.ts'
import { rungs } from './rungs.ts'
import { groups, median, rounded, spread } from './statistics.ts'
import { judge, type Verdict } from './verdicts.ts'

export interface Start {
  readonly name: ContenderName
  readonly firstReplyMs: readonly number[]
  readonly idleRssMb: readonly number[]
}

/** One timed run. */
export interface Sample {
  readonly name: ContenderName
  readonly mode: Mode
  readonly concurrency: number
  readonly round: number
  readonly cpuPerRequestUs: number
  readonly requestsPerSecond: number
  /** Share of the gateway's core. */
  readonly busy: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly rssMb: number
  readonly requests: number
  readonly bytesPerReply: number
  readonly bad: number
  readonly complaint: string
}

export interface GarbageSample extends GarbagePerRequest {
  readonly name: ContenderName
  readonly mode: Mode
  readonly round: number
}

export interface BurstSample extends Burst {
  readonly name: ContenderName
  readonly round: number
}

export interface Measured {
  readonly samples: readonly Sample[]
  readonly starts: readonly Start[]
  readonly garbage: readonly GarbageSample[]
  readonly bursts: readonly BurstSample[]
  readonly decision: DecisionLatency | undefined
}

/** The medians of one contender's rounds. */
export interface Row {
  readonly name: ContenderName
  readonly mode: Mode
  readonly concurrency: number
  readonly cpuPerRequestUs: number
  /** Half the range of the middle half, as a share of the median. */
  readonly cpuSpread: number
  readonly cpuPerEventUs: number | undefined
  /** From the rounds that kept the core busy. Undefined if none did. */
  readonly requestsPerSecond: number | undefined
  readonly busy: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly rssMb: number
  readonly bad: number
}

/** Below this share of its core, something other than the gateway limited the requests per second. */
const saturatedFrom = 0.95

const labels: Readonly<Record<string, string>> = {
  none: 'no gateway',
  bare: 'bare forwarder',
  minimal: 'minimal stream',
  before: 'turnpike before',
  turnpike: 'turnpike',
  chat: 'turnpike, Chat Completions',
  portkey: 'portkey 1.15.2',
  ...Object.fromEntries(Object.entries(rungs).map(([name, { label }]) => [name, label])),
}

export function labelOf(name: ContenderName): string {
  return labels[name] ?? name
}

export const modeTitles: Readonly<Record<Mode, string>> = {
  json: 'Non-streaming',
  stream: 'Streaming, several events per write',
  single: 'Streaming, one event per write',
}

export function printReport(
  measured: Measured,
  { deltas }: { readonly deltas: number },
): { readonly rows: readonly Row[]; readonly verdicts: readonly Verdict[] } {
  const rows = medians(measured.samples, deltas)
  for (const [mode, title] of Object.entries(modeTitles))
    table(
      title,
      rows
        .filter(row => row.mode === mode)
        .toSorted((a, b) => a.concurrency - b.concurrency)
        .map(printed),
    )
  table('Start', measured.starts.map(printedStart))
  table('Garbage, 32 at once', printedGarbage(measured.garbage))
  table('256 new connections at once, 32 others busy', printedBursts(measured.bursts))
  table('A decision of 20 questions', measured.decision?.contenders.map(printedDecision) ?? [])
  const verdicts = judge(measured)
  console.log()
  for (const { target, value, limit, met } of verdicts)
    console.log(`${met ? 'met   ' : 'MISSED'}  ${target}: ${rounded(value, 3)} (limit ${rounded(limit, 3)})`)
  return { rows, verdicts }
}

function table(title: string, rows: readonly object[]): void {
  if (rows.length === 0) return
  console.log(`\n${title}`)
  console.table(rows)
}

function medians(samples: readonly Sample[], deltas: number): readonly Row[] {
  return groups(samples, ({ name, mode, concurrency }) => `${mode} ${concurrency} ${name}`).map(group => {
    const { name, mode, concurrency } = group[0]!
    const of = (member: 'cpuPerRequestUs' | 'busy' | 'p50Ms' | 'p99Ms' | 'rssMb'): number => median(group.map(sample => sample[member]))
    const saturated = group.filter(sample => sample.busy >= saturatedFrom)
    return {
      name,
      mode,
      concurrency,
      cpuPerRequestUs: of('cpuPerRequestUs'),
      cpuSpread: spread(group.map(sample => sample.cpuPerRequestUs)),
      cpuPerEventUs: mode === 'json' ? undefined : of('cpuPerRequestUs') / deltas,
      requestsPerSecond: saturated.length > 0 ? median(saturated.map(sample => sample.requestsPerSecond)) : undefined,
      busy: of('busy'),
      p50Ms: of('p50Ms'),
      p99Ms: of('p99Ms'),
      rssMb: of('rssMb'),
      bad: group.reduce((sum, sample) => sum + sample.bad, 0),
    }
  })
}

function printed(row: Row): object {
  const isGateway = row.name !== 'none'
  return {
    c: row.concurrency,
    gateway: labelOf(row.name),
    'CPU/request, µs': isGateway ? rounded(row.cpuPerRequestUs, 0) : '',
    '±, %': isGateway ? rounded(row.cpuSpread * 100, 0) : '',
    ...(row.cpuPerEventUs !== undefined && { 'CPU/event, µs': isGateway ? rounded(row.cpuPerEventUs, 2) : '' }),
    'requests/s': isGateway ? (row.requestsPerSecond === undefined ? 'invalid' : rounded(row.requestsPerSecond, 0)) : '',
    'core busy, %': isGateway ? rounded(row.busy * 100, 0) : '',
    'p50, ms': rounded(row.p50Ms, 2),
    'p99, ms': rounded(row.p99Ms, 2),
    'RSS, MB': isGateway ? rounded(row.rssMb, 0) : '',
    'bad replies': row.bad,
  }
}

function printedStart({ name, firstReplyMs, idleRssMb }: Start): object {
  return {
    gateway: labelOf(name),
    'first 200, ms': rounded(median(firstReplyMs), 0),
    '±, %': rounded(spread(firstReplyMs) * 100, 0),
    'idle RSS, MB': rounded(median(idleRssMb), 1),
  }
}

function printedGarbage(samples: readonly GarbageSample[]): readonly object[] {
  return groups(samples, ({ name, mode }) => `${mode} ${name}`).map(group => ({
    mode: group[0]!.mode,
    gateway: labelOf(group[0]!.name),
    'kB/request': rounded(median(group.map(({ allocatedKb }) => allocatedKb)), 1),
    'collecting/request, µs': rounded(median(group.map(({ collectingUs }) => collectingUs)), 1),
  }))
}

function printedBursts(samples: readonly BurstSample[]): readonly object[] {
  return groups(samples, ({ name }) => name).map(group => ({
    gateway: labelOf(group[0]!.name),
    'median first reply, ms': rounded(median(group.map(({ medianMs }) => medianMs)), 0),
    'slowest first reply, ms': rounded(median(group.map(({ slowestMs }) => slowestMs)), 0),
    failed: group.reduce((sum, { failed }) => sum + failed, 0),
  }))
}

function printedDecision({ name, p50Ms, p90Ms, p99Ms, cpuMs }: DecisionLatency['contenders'][number]): object {
  return {
    gateway: labelOf(name),
    'p50, ms': rounded(p50Ms, 3),
    'p90, ms': rounded(p90Ms, 3),
    'p99, ms': rounded(p99Ms, 3),
    'CPU/request, ms': cpuMs === undefined ? '' : rounded(cpuMs, 3),
  }
}
