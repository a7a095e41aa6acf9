import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ListOf } from '../api.ts'
import { CodeBlock } from '../components/copy.ts'
import { Empty, Loading, PartProblem, Problem, Stat } from '../components/feedback.ts'
import { Select, Switch } from '../components/fields.ts'
import { Button, Page, Panel } from '../components/page.ts'
import { useData, type Loaded } from '../data.ts'
import { compact, compactUsd, count, duration, percent, timeZone } from '../format.ts'
import { html, type Children } from '../html.ts'
import { hrefOf, useParameters, type Parameters } from '../place.ts'
import { usePublicUrl } from '../public-url.ts'
import { isRange, ranges, spanOf, withoutMinutes, type Range, type RangeName } from '../ranges.ts'
import { useSession } from '../session.ts'
import { Breakdown } from './overview/breakdown.ts'
import { Charts } from './overview/charts.ts'
import { isSplit, otherModel, shortSession, splits, type Split } from './overview/splits.ts'
import { everything, groupsIn, otherErrors, type UsageRow } from './overview/usage-series.ts'

/** More would be hard to tell apart in a chart. */
const maxGroups = 5

interface Usage {
  readonly data: readonly UsageRow[]
}

/** The gateway's traffic: requests, errors, tokens, cost and latency over time. */
export default function Overview(): VNode {
  const [parameters, setParameters] = useParameters()
  const rangeName: RangeName = isRange(parameters['range']) ? parameters['range'] : '24h'
  const split = isSplit(parameters['by']) ? parameters['by'] : undefined
  const only = { org: parameters['org'], team: parameters['team'], key: parameters['key'], session: parameters['session'] }
  const bySession = split === 'session' || only.session !== undefined
  const range: Range = bySession ? withoutMinutes(ranges[rangeName]) : ranges[rangeName]
  const isLive = parameters['live'] !== 'off'
  const { from, to } = spanOf(range, Date.now())
  const span: Parameters = {
    ...only,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(!bySession && { latency: true }),
  }
  const live = { pollMs: isLive ? range.everyMs : undefined }
  const listed = split ?? 'model'

  const zone = range.bucket === 'day' && { time_zone: timeZone }
  const series = useData<Usage>(
    '/usage',
    { ...span, bucket: range.bucket, ...zone, ...(split && { group_by: split, top: maxGroups }) },
    live,
  )
  const overall = useData<Usage>('/usage', { ...span, bucket: 'total' }, live)
  const totals = useData<Usage>('/usage', { ...span, bucket: 'total', group_by: listed, top: split ? maxGroups : 10 }, live)
  const [nameOf, names] = useNames(listed)
  const groups = useMemo(() => groupsIn(totals.data?.data ?? [], listed, nameOf), [totals.data, listed, nameOf])
  const drawn = useMemo(() => (split ? groups : everything), [split, groups])

  const total = overall.data?.data[0]
  const hasNothing = overall.data !== undefined && !total
  const kept = { range: parameters['range'], by: parameters['by'], live: parameters['live'] }
  return html`<${Page}
    title="Overview"
    intro=${introOf(only, hrefOf('', kept))}
    actions=${html`<${Controls} rangeName=${rangeName} split=${split} isLive=${isLive} set=${setParameters} />`}
  >
    <${PartProblem} title="The names of the keys could not be loaded." of=${names} />
    <${Part} from=${overall}>
      ${total && html`<${Stats} total=${total} hasTimes=${!bySession} logs=${{ ...only, time: rangeName }} />`}
      ${hasNothing && html`<${Nothing} rangeName=${rangeName} />`}
    <//>
    ${
      !hasNothing &&
      html`<${Part} from=${series}>
          <${Charts}
            rows=${series.data?.data ?? []}
            totals=${(split ? totals : overall).data?.data ?? []}
            groups=${drawn}
            split=${split}
            range=${range}
            hasTimes=${!bySession}
            from=${from}
            to=${to}
          />
        <//>
        <${Part} from=${totals}>
          <${Panel} flush title=${`By ${splits[listed].label.toLowerCase()}`}>
            <${Breakdown}
              totals=${totals.data?.data ?? []}
              groups=${groups}
              split=${listed}
              kept=${{ '': { ...kept, ...only }, logs: { ...only, time: rangeName } }}
            />
          <//>
        <//>`
    }
  <//>`
}

/** A part of the page, which may fail while the others do not. Its last content stays. */
function Part({ from: { data, error, reload }, children }: { readonly from: Loaded<Usage>; readonly children?: Children }): VNode {
  return html`${error && html`<${Problem} error=${error} retry=${reload} />`} ${!data && !error && html`<${Loading} />`} ${data && children}`
}

function Controls({
  rangeName,
  split,
  isLive,
  set,
}: {
  readonly rangeName: RangeName
  readonly split: Split | undefined
  readonly isLive: boolean
  readonly set: (change: Parameters) => void
}): VNode {
  return html`<div class="filters">
    <${Select}
      label="Time"
      value=${rangeName}
      choices=${Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
      onChange=${(value: string) => set({ range: value === '24h' ? undefined : value })}
    />
    <${Select}
      label="Split by"
      value=${split ?? ''}
      choices=${[{ value: '', label: 'Nothing' }, ...Object.entries(splits).map(([value, { label }]) => ({ value, label }))]}
      onChange=${(value: string) => set({ by: value })}
    />
    <${Switch} label="Live" checked=${isLive} onChange=${(checked: boolean) => set({ live: checked ? undefined : 'off' })} />
  </div>`
}

/** `logs`: the parameters that show the same requests there. */
function Stats({ total, hasTimes, logs }: { readonly total: UsageRow; readonly hasTimes: boolean; readonly logs: Parameters }): VNode {
  const { requests, errors, input_tokens: input, output_tokens: output, unpriced } = total
  const failed = requests === 0 ? 0 : errors / requests
  return html`<div class="stats">
    <${Stat} label="Requests" value=${compact(requests)} note=${`${count(requests - errors)} succeeded`} href=${hrefOf('logs', logs)} />
    <${Stat}
      label="Errors"
      value=${percent(failed)}
      note=${errorsNote(total)}
      tone=${failed >= 0.05 ? 'bad' : failed >= 0.01 ? 'warn' : 'neutral'}
      href=${hrefOf('logs', { ...logs, status: 'error' })}
    />
    <${Stat} label="Tokens" value=${compact(input + output)} note=${`${compact(input)} in, ${compact(output)} out`} />
    <${Stat}
      label="Cost"
      value=${compactUsd(total.cost_usd)}
      note=${unpriced > 0 ? `${count(unpriced)} at an unknown price` : 'all prices known'}
    />
    ${
      hasTimes &&
      html`<${Stat} label="Latency, p50" value=${duration(total.p50_ms)} note="whole answers" />
        <${Stat}
          label="Latency, p95"
          value=${duration(total.p95_ms)}
          note="whole answers; see the slowest"
          href=${hrefOf('logs', { ...logs, sort: 'elapsed_ms' })}
        />`
    }
  </div>`
}

/** How many errors there are, and who caused them. */
function errorsNote(total: UsageRow): string {
  const { requests, errors, vendor_errors: vendors, policy_errors: policy, caller_errors: callers } = total
  const causes = Object.entries({ 'by vendors': vendors, 'by policy and money': policy, 'by callers': callers, other: otherErrors(total) })
  const caused = causes.filter(([, number]) => (number ?? 0) > 0).map(([cause, number]) => `${count(number!)} ${cause}`)
  const isKnown = vendors !== null && caused.length > 0
  return `${count(errors)} of ${count(requests)}${isKnown ? `: ${caused.join(', ')}` : ''}`
}

/** The names of keys. Other groups are called by their ids. */
function useNames(split: Split): readonly [nameOf: (value: string | null) => string, loaded: Loaded<unknown>] {
  const loaded = useData<ListOf<{ readonly id: string; readonly name: string }>>(split === 'key' ? '/keys' : undefined, undefined, {
    all: true,
  })
  const { data } = loaded
  const nameOf = useMemo(() => {
    const names = new Map(data?.data.map(({ id, name }) => [id, name]))
    const without = {
      model: 'No model',
      provider: 'No provider',
      key: 'No key',
      team: 'No team',
      org: 'No organization',
      session: 'No session',
    }[split]
    const nameOf = (value: string): string => {
      if (split === 'session') return shortSession(value)
      return split === 'model' && value === otherModel ? 'Other models' : (names.get(value) ?? value)
    }
    // Undefined while the rows of another split are there.
    return (value: string | null | undefined): string => (value === null || value === undefined ? without : nameOf(value))
  }, [data, split])
  return [nameOf, loaded]
}

function introOf(
  { org, team, key, session }: { readonly [Name in 'org' | 'team' | 'key' | 'session']: string | undefined },
  everything: string,
): VNode | undefined {
  const named = [
    org && `the organization ${org}`,
    team && `the team ${team}`,
    key && `the key ${key}`,
    session && `the session ${session}`,
  ].filter(Boolean)
  if (named.length === 0) return undefined
  return html`<span>Only ${named.join(', ')}. <a href=${everything}>Show everything</a></span>`
}

function Nothing({ rangeName }: { readonly rangeName: RangeName }): VNode {
  const { may } = useSession()
  const line = `curl ${usePublicUrl()}/v1/responses -H "Authorization: Bearer $TURNPIKE_KEY" -H 'Content-Type: application/json' -d '{"model":"sandbox/echo","input":"Hello"}'`
  return html`<${Panel}>
    <${Empty}
      title="No requests in this time"
      action=${html`<div class="actions">
        ${may('editor') && html`<${Button} tone="primary" href=${hrefOf('playground')}>Try one in the playground<//>`}
        ${rangeName !== '90d' && html`<${Button} href=${hrefOf('', { range: '90d' })}>Look back 90 days<//>`}
      </div>`}
    >
      Send one with a key from the page Keys, and it appears here within a few seconds:
    <//>
    <${CodeBlock} label="curl" text=${line} />
  <//>`
}
