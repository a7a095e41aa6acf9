import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { Chart } from '../../components/chart.ts'
import { Panel } from '../../components/page.ts'
import { compact, duration, monthDay, shortDate, usd } from '../../format.ts'
import { html } from '../../html.ts'
import { startsOf, type Range } from '../../ranges.ts'
import { countsAttempts, type Split } from './splits.ts'
import { chartOf, measures, type Group, type Measure, type UsageRow } from './usage-series.ts'

interface Plan {
  readonly title: string
  readonly measured: Readonly<Record<string, Measure>>
  readonly format: (value: number) => string
}

const together: readonly Plan[] = [
  { title: 'Requests', measured: { Requests: measures.requests }, format: compact },
  {
    title: 'Errors',
    measured: {
      Vendors: measures.vendorErrors,
      'Policy and money': measures.policyErrors,
      Callers: measures.callerErrors,
      Other: measures.otherErrors,
    },
    format: compact,
  },
  {
    title: 'Tokens',
    measured: { Input: measures.inputTokens, 'From the cache': measures.cachedTokens, Output: measures.outputTokens },
    format: compact,
  },
  { title: 'Cost', measured: { Cost: measures.cost }, format: usd },
  { title: 'Latency', measured: { p50: measures.p50, p95: measures.p95 }, format: duration },
]

const byGroup: readonly Plan[] = [
  { title: 'Requests', measured: { Requests: measures.requests }, format: compact },
  { title: 'Errors', measured: { Errors: measures.errors }, format: compact },
  { title: 'Tokens', measured: { Tokens: measures.tokens }, format: compact },
  { title: 'Cost', measured: { Cost: measures.cost }, format: usd },
  { title: 'Latency, p50', measured: { p50: measures.p50 }, format: duration },
  { title: 'Latency, p95', measured: { p95: measures.p95 }, format: duration },
]

/** By model and provider. */
const byAsked: readonly Plan[] = [
  { title: 'Requests', measured: { Requests: measures.requests }, format: compact },
  { title: 'Failed attempts', measured: { 'Failed attempts': measures.failedAttempts }, format: compact },
  { title: 'Tokens', measured: { Tokens: measures.tokens }, format: compact },
  { title: 'Cost', measured: { Cost: measures.cost }, format: usd },
  { title: 'Attempt latency, p50', measured: { p50: measures.attemptP50 }, format: duration },
  { title: 'Attempt latency, p95', measured: { p95: measures.attemptP95 }, format: duration },
]

interface ChartsProps {
  /** Absent for everything together. */
  readonly split: Split | undefined
  readonly rows: readonly UsageRow[]
  /** Of the whole time, a row for each group. */
  readonly totals: readonly UsageRow[]
  /** One without a name: everything together. */
  readonly groups: readonly Group[]
  readonly range: Range
  /** False: how long answers took is not known. */
  readonly hasTimes: boolean
  readonly from: number
  readonly to: number
}

export function Charts(props: ChartsProps): VNode {
  const { split, hasTimes } = props
  const plans = split === undefined ? together : countsAttempts(split) ? byAsked : byGroup
  const shown = hasTimes ? plans : plans.filter(({ format }) => format !== duration)
  return html`<div class="charts">${shown.map(plan => html`<${UsageChart} key=${plan.title} plan=${plan} ...${props} />`)}</div>`
}

function UsageChart({ plan, rows, totals, groups, range, from, to }: ChartsProps & { readonly plan: Plan }): VNode {
  const { bucket } = range
  const { times, series } = useMemo(
    () => chartOf(rows, totals, startsOf(range, { from, to }), plan.measured, groups),
    [rows, totals, groups, plan, range, from, to],
  )
  const isLatency = plan.format === duration
  const title = isLatency ? plan.title : `${plan.title} per ${bucket}`
  const timeName = bucket === 'day' ? monthDay : shortDate
  return html`<${Panel} title=${title}>
    <${Chart} label=${title} times=${times} series=${series} format=${plan.format} timeName=${timeName} height=${180} />
  <//>`
}
