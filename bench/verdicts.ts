import type { ContenderName, Mode } from './contenders.ts'
import type { Measured, Sample } from './report.ts'
import { median } from './statistics.ts'

/** A target and its measurement. Lower is better. */
export interface Verdict {
  readonly target: string
  readonly value: number
  readonly limit: number
  readonly met: boolean
}

/** The targets for the measurements. Ratios are medians of the rounds' ratios, because a disturbance affects both halves of a round. */
export function judge({ samples, starts, garbage, bursts, decision }: Measured): readonly Verdict[] {
  const verdicts: Verdict[] = []
  const atMost = (target: string, value: number | undefined, limit: number): void => {
    if (value !== undefined && Number.isFinite(value)) verdicts.push({ target, value, limit, met: value <= limit })
  }
  const at = (name: ContenderName, mode: Mode, concurrency: number): readonly Sample[] =>
    samples.filter(sample => sample.name === name && sample.mode === mode && sample.concurrency === concurrency)
  const cases = Map.groupBy(
    samples.filter(({ name }) => name === 'turnpike'),
    ({ mode, concurrency }) => `c=${concurrency} ${mode}`,
  )
  for (const [title, own] of cases) {
    const { mode, concurrency } = own[0]!
    const against = (name: ContenderName): number | undefined => pairedRatio(own, at(name, mode, concurrency), 'cpuPerRequestUs')
    atMost(`${title}: CPU per request ÷ the build before`, against('before'), 1.03)
    const observed = pairedRatio(at('telemetry', mode, concurrency), own, 'cpuPerRequestUs')
    atMost(`${title}: CPU per request with both telemetry plugins ÷ without`, observed, 1.06)
    if (mode === 'json') {
      atMost(`${title}: CPU per request ÷ bare forwarder`, against('bare'), concurrency === 1 ? 2 : concurrency === 256 ? 1.5 : 1.6)
      atMost(`${title}: CPU per request ÷ portkey`, against('portkey'), 1 / 7)
      if (concurrency === 1)
        atMost(`${title}: added at p50, ms`, median(own.map(s => s.p50Ms)) - median(at('none', mode, 1).map(s => s.p50Ms)), 0.35)
      if (concurrency === 256) atMost(`${title}: p99 ÷ p50`, median(own.map(s => s.p99Ms / s.p50Ms)), 1.6)
    } else {
      atMost(`${title}: CPU per streamed event ÷ minimal loop`, against('minimal'), 1.2)
    }
    atMost(
      `${title}: bad replies`,
      own.reduce((sum, { bad }) => sum + bad, 0),
      0,
    )
  }
  const own = <T extends { readonly name: ContenderName }>(all: readonly T[], name: ContenderName = 'turnpike'): readonly T[] =>
    all.filter(each => each.name === name)
  const allocated = own(garbage).filter(({ mode }) => mode === 'json')
  atMost('kB allocated per request', median(allocated.map(({ allocatedKb }) => allocatedKb)), 34)
  const [start] = own(starts)
  const [bareStart] = own(starts, 'bare')
  if (start && bareStart) {
    atMost('first 200 ÷ bare forwarder', median(start.firstReplyMs) / median(bareStart.firstReplyMs), 1.5)
    atMost('idle RSS ÷ bare forwarder', median(start.idleRssMb) / median(bareStart.idleRssMb), 1.25)
  }
  atMost('slowest first reply of 256 new connections, ms', median(own(bursts).map(({ slowestMs }) => slowestMs)), 400)
  atMost('decision of 20 questions: added at p50, ms', decision?.addedMs, 0.35)
  return verdicts
}

function pairedRatio(own: readonly Sample[], others: readonly Sample[], member: 'cpuPerRequestUs'): number | undefined {
  const ratios = own.flatMap(sample => {
    const other = others.find(({ round }) => round === sample.round)
    return other ? [sample[member] / other[member]] : []
  })
  return ratios.length > 0 ? median(ratios) : undefined
}
