import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { Chart } from './chart.ts'
import { Empty, Loading, Problem } from './feedback.ts'
import { useData } from '../data.ts'
import { count, monthDay, timeZone, usd } from '../format.ts'
import { html } from '../html.ts'
import { ranges, spanOf, startsOf } from '../ranges.ts'

const range = ranges['30d']

interface Usage {
  readonly data: readonly { readonly at: string; readonly requests: number; readonly cost_usd: number | null }[]
}

/** The requests of one key or account in the last 30 days. */
export function DailyUse({ filter }: { readonly filter: Readonly<Record<string, string>> }): VNode {
  const { from, to } = spanOf(range, Date.now())
  const { data, error, reload } = useData<Usage>('/usage', {
    ...filter,
    from: new Date(from).toISOString(),
    bucket: 'day',
    time_zone: timeZone,
  })
  const times = useMemo(() => startsOf(range, { from, to }).map(start => start / 1000), [from, to])
  const series = useMemo(() => {
    const requests = new Map(data?.data.map(({ at, requests: made }) => [Date.parse(at) / 1000, made]))
    const values = times.map(time => requests.get(time) ?? 0)
    return [{ label: 'Requests', values, total: values.reduce((all, value) => all + value, 0) }]
  }, [data, times])
  if (error) return html`<${Problem} error=${error} retry=${reload} />`
  if (!data) return html`<${Loading} />`
  const sum = data.data.reduce((all, { requests }) => all + requests, 0)
  if (sum === 0) return html`<${Empty} title="No requests in 30 days" />`
  const cost = data.data.reduce((all, { cost_usd: each }) => all + (each ?? 0), 0)
  return html`<div class="stack">
    <${Chart}
      label="Requests a day in the last 30 days"
      times=${times}
      series=${series}
      format=${count}
      timeName=${monthDay}
      kind="bars"
      height=${120}
    />
    <p class="hint">${count(sum)} requests, ${usd(cost)} in the last 30 days.</p>
  </div>`
}
