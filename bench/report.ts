import type { ContenderName, Mode } from './contenders.ts'

export interface Start {
  readonly name: ContenderName
  readonly firstReplyMs: readonly number[]
  readonly idleRssMb: number
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

/** The medians of one contender's rounds. */
export interface Row {
  readonly name: ContenderName
  readonly mode: Mode
  readonly concurrency: number
  readonly cpuPerRequestUs: number
  readonly cpuPerEventUs: number | undefined
  /** From the rounds that kept the core busy. Undefined if none did. */
  readonly requestsPerSecond: number | undefined
  readonly busy: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly rssMb: number
  readonly bad: number
}

export interface Verdict {
  readonly target: string
  readonly value: number
  readonly limit: number
  readonly met: boolean
}

/** Below this share of its core, something other than the gateway limited the requests per second. */
const saturatedFrom = 0.95

const labels: Readonly<Record<ContenderName, string>> = {
  none: 'no gateway',
  bare: 'bare forwarder',
  minimal: 'minimal stream',
  before: 'turnpike before',
  turnpike: 'turnpike',
  portkey: 'portkey 1.15.2',
}

export function printReport(
  samples: readonly Sample[],
  starts: readonly Start[],
  { deltas }: { readonly deltas: number },
): { readonly rows: readonly Row[]; readonly verdicts: readonly Verdict[] } {
  const rows = medians(samples, deltas)
  for (const mode of ['json', 'stream'] as const) {
    const ofMode = rows.filter(row => row.mode === mode).toSorted((a, b) => a.concurrency - b.concurrency)
    if (ofMode.length === 0) continue
    console.log(`\n${mode === 'json' ? 'Non-streaming' : `Streaming, ${deltas} text deltas per reply`}`)
    console.table(ofMode.map(printed))
  }
  console.log('\nStart')
  console.table(
    starts.map(({ name, firstReplyMs, idleRssMb }) => ({
      gateway: labels[name],
      'first 200, ms': round(median(firstReplyMs), 0),
      'idle RSS, MB': round(idleRssMb, 1),
    })),
  )
  const verdicts = judge(rows, starts)
  for (const { target, value, limit, met } of verdicts)
    console.log(`${met ? 'met   ' : 'MISSED'}  ${target}: ${round(value, 3)} (limit ${round(limit, 3)})`)
  return { rows, verdicts }
}

function medians(samples: readonly Sample[], deltas: number): readonly Row[] {
  const groups = Map.groupBy(samples, ({ name, mode, concurrency }) => `${mode} ${concurrency} ${name}`)
  return Array.from(groups.values(), group => {
    const { name, mode, concurrency } = group[0]!
    const cpuPerRequestUs = median(group.map(sample => sample.cpuPerRequestUs))
    const saturated = group.filter(sample => sample.busy >= saturatedFrom)
    return {
      name,
      mode,
      concurrency,
      cpuPerRequestUs,
      cpuPerEventUs: mode === 'stream' ? cpuPerRequestUs / deltas : undefined,
      requestsPerSecond: saturated.length > 0 ? median(saturated.map(sample => sample.requestsPerSecond)) : undefined,
      busy: median(group.map(sample => sample.busy)),
      p50Ms: median(group.map(sample => sample.p50Ms)),
      p99Ms: median(group.map(sample => sample.p99Ms)),
      rssMb: median(group.map(sample => sample.rssMb)),
      bad: group.reduce((sum, sample) => sum + sample.bad, 0),
    }
  })
}

function printed(row: Row): Record<string, unknown> {
  const isGateway = row.name !== 'none'
  return {
    c: row.concurrency,
    gateway: labels[row.name],
    'CPU/request, µs': isGateway ? round(row.cpuPerRequestUs, 0) : '',
    ...(row.cpuPerEventUs !== undefined && { 'CPU/event, µs': isGateway ? round(row.cpuPerEventUs, 2) : '' }),
    'requests/s': isGateway ? (row.requestsPerSecond === undefined ? 'invalid' : round(row.requestsPerSecond, 0)) : '',
    'core busy, %': isGateway ? round(row.busy * 100, 0) : '',
    'p50, ms': round(row.p50Ms, 2),
    'p99, ms': round(row.p99Ms, 2),
    'RSS, MB': isGateway ? round(row.rssMb, 0) : '',
    'bad replies': row.bad,
  }
}

function judge(rows: readonly Row[], starts: readonly Start[]): readonly Verdict[] {
  const verdicts: Verdict[] = []
  const atMost = (target: string, value: number | undefined, limit: number): void => {
    if (value !== undefined && Number.isFinite(value)) verdicts.push({ target, value, limit, met: value <= limit })
  }
  for (const own of rows.filter(row => row.name === 'turnpike')) {
    const rival = (name: ContenderName): Row | undefined =>
      rows.find(row => row.name === name && row.mode === own.mode && row.concurrency === own.concurrency)
    const times = (name: ContenderName): number | undefined => ratio(own.cpuPerRequestUs, rival(name)?.cpuPerRequestUs)
    if (own.mode === 'json') {
      atMost(`c=${own.concurrency} CPU per request ÷ bare forwarder`, times('bare'), 2)
      atMost(`c=${own.concurrency} CPU per request ÷ portkey`, times('portkey'), 1 / 6)
      if (own.concurrency === 1) atMost('c=1 added at p50, ms', difference(own.p50Ms, rival('none')?.p50Ms), 0.35)
    } else {
      atMost(`c=${own.concurrency} CPU per streamed event ÷ minimal loop`, times('minimal'), 1.6)
    }
    atMost(`c=${own.concurrency} ${own.mode} bad replies`, own.bad, 0)
  }
  const start = starts.find(({ name }) => name === 'turnpike')
  atMost('idle RSS, MB', start?.idleRssMb, 125)
  atMost('spawn to first 200, ms', start && median(start.firstReplyMs), 500)
  return verdicts
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

function ratio(value: number, by: number | undefined): number | undefined {
  return by === undefined ? undefined : value / by
}

function difference(value: number, from: number | undefined): number | undefined {
  return from === undefined ? undefined : value - from
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
