import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge, Empty, Problem } from '../../components/feedback.ts'
import { Input, Select } from '../../components/fields.ts'
import { Button, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { html } from '../../html.ts'
import { tellAlertsChanged } from '../../open-alerts.ts'
import { hrefOf, useParameters } from '../../place.ts'
import { isRange, ranges, spanOf } from '../../ranges.ts'
import { useSession } from '../../session.ts'
import { kindName, kindNames, severityTone, stateNames, subjectHref, type Alert } from './alert.ts'
import { NewSilence } from './new-silence.ts'
import { NotKept } from './not-loaded.ts'

const liveMs = 10_000
const severityNames = { info: 'Info', warning: 'Warning', critical: 'Critical' } as const

/** The alerts, the newest first: those that are open, unless somebody asks for others. */
export function AlertList(): VNode {
  const [{ kind, state = 'open', org, time }, setParameters] = useParameters()
  const { may, org: ownOrg } = useSession()
  const [silencing, setSilencing] = useState<Alert>()
  const [error, setError] = useState<unknown>()
  const [version, setVersion] = useState(0)
  const [done, setDone] = useState('')
  const acknowledge = async ({ id, title }: Alert, button: HTMLElement): Promise<void> => {
    setError(undefined)
    try {
      await api.post(`/alerts/${encodeURIComponent(id)}/acknowledge`, {})
    } catch (thrown) {
      return setError(thrown)
    }
    leaveTo(button)
    setDone(`${title}: acknowledged`)
    setVersion(now => now + 1)
    tellAlertsChanged()
  }
  const actions = (alert: Alert): VNode =>
    html`<span class="row">
      ${
        alert.state === 'open' &&
        html`<${Button}
          small
          data-acknowledges
          aria-label=${`Acknowledge ${alert.title}`}
          onClick=${({ currentTarget }: { readonly currentTarget: HTMLElement }) => void acknowledge(alert, currentTarget)}
          >Acknowledge<//
        >`
      }
      <${Button} small tone="quiet" aria-label=${`Silence ${alert.title}`} onClick=${() => setSilencing(alert)}>Silence…<//>
    </span>`
  const columns: readonly Column<Alert>[] = [
    { head: 'Time', cell: ({ created_at: at }) => html`<${Time} at=${at} />` },
    { head: 'Alert', cell: alertCell },
    { head: 'State', cell: stateCell },
    ...(may('editor') ? [{ head: 'Actions', cell: actions }] : []),
  ]
  const from = isRange(time) ? new Date(spanOf(ranges[time], Date.now()).from).toISOString() : undefined
  const isNarrowed = kind !== undefined || org !== undefined || time !== undefined
  return html`<div class="stack">
    <div class="filters" role="search" aria-label="Filter the alerts">
      <${Select}
        label="State"
        value=${state}
        choices=${[...choicesOf(stateNames), { value: 'any', label: 'Any' }]}
        onChange=${(value: string) => setParameters({ state: value === 'open' ? undefined : value, cursor: undefined })}
      />
      <${Select}
        label="Kind"
        value=${kind ?? ''}
        choices=${[{ value: '', label: 'Any' }, ...choicesOf(kindNames)]}
        onChange=${(value: string) => setParameters({ kind: value, cursor: undefined })}
      />
      <${Select}
        label="Time"
        value=${time ?? ''}
        choices=${[{ value: '', label: 'Any time' }, ...Object.entries(ranges).map(([value, { label }]) => ({ value, label }))]}
        onChange=${(value: string) => setParameters({ time: value, cursor: undefined })}
      />
      ${
        ownOrg === null &&
        html`<${Input}
          label="Organization"
          placeholder="All"
          value=${org ?? ''}
          onChange=${(value: string) => setParameters({ org: value, cursor: undefined }, { replace: true })}
        />`
      }
      ${(isNarrowed || state !== 'open') && html`<${Button} tone="quiet" href="alerts">Clear<//>`}
    </div>
    ${error !== undefined && html`<${Problem} error=${error} />`}
    <p class="hidden" role="status">${done}</p>
    <${Panel} flush>
      <${PagedTable}
        label="Alerts"
        path="/alerts"
        query=${{ kind, org, from, state: state === 'any' ? undefined : state }}
        limit=${50}
        pollMs=${liveMs}
        version=${version}
        columns=${columns}
        rowKey=${({ id }: Alert) => id}
        failed=${NotKept}
        empty=${emptyText(isNarrowed, state)}
      />
    <//>
    ${
      silencing &&
      html`<${NewSilence}
        alert=${silencing}
        onClose=${() => setSilencing(undefined)}
        onCreated=${() => {
          setSilencing(undefined)
          setParameters({ tab: 'silences' })
        }}
      />`
    }
  </div>`
}

/** The button goes away: the keyboard goes on with the next alert, or with the list. */
function leaveTo(button: HTMLElement): void {
  const others = [...(button.closest('tbody')?.querySelectorAll<HTMLElement>('[data-acknowledges]') ?? [])]
  const at = others.indexOf(button)
  const next = others[at + 1] ?? others[at - 1] ?? button.closest<HTMLElement>('.table-frame')
  next?.focus()
}

function emptyText(isNarrowed: boolean, state: string): VNode {
  const all = html`<${Button} href=${hrefOf('alerts', { state: 'any' })}>Show all alerts<//>`
  if (isNarrowed) return html`<${Empty} title="No alerts match" action=${all} />`
  if (state === 'open')
    return html`<${Empty} title="Nothing is open" action=${all}
      >Alerts that somebody acknowledged, and those that are over, are not shown here.<//
    >`
  return html`<${Empty} title="No alerts yet">The gateway watches only if somebody can be told: set a target first.<//>`
}

function alertCell(alert: Alert): VNode {
  const { title, message, facts, severity, resolves, silenced_by: silence } = alert
  const known = Object.entries(facts)
  return html`<div class="alert-cell">
    <div class="row">
      <${Badge} tone=${severityTone(alert)}>${resolves === null ? severityNames[severity] : 'All clear'}<//>
      <strong class="anywhere">${title}</strong>
      ${silence !== null && html`<${Badge}>silenced<//>`}
    </div>
    <p class="anywhere">${message}</p>
    ${aboutOf(alert)}
    ${
      known.length > 0 &&
      html`<details>
        <summary>Facts</summary>
        <dl class="facts">
          ${known.map(
            ([name, value]) =>
              html`<dt key=${name}>${name}</dt>
                <dd><code class="value">${typeof value === 'string' ? value : JSON.stringify(value)}</code></dd>`,
          )}
        </dl>
      </details>`
    }
  </div>`
}

/** The kind, what it is about, and whose it is. */
function aboutOf(alert: Alert): VNode {
  const href = subjectHref(alert)
  const text = html`<span class="anywhere">${alert.subject}</span>`
  return html`<span class="row muted">
    <span>${kindName(alert.kind)}</span>
    ${href === undefined ? text : html`<a href=${href}>${text}</a>`}
    ${alert.org !== null && html`<span class="anywhere">organization ${alert.org}</span>`}
  </span>`
}

function stateCell({ state, acknowledged_at: acknowledged, acknowledged_by: by, resolved_at: resolved, resolves }: Alert): VNode {
  if (resolves !== null) return html`<span class="muted">–</span>`
  const at = state === 'resolved' ? resolved : state === 'acknowledged' ? acknowledged : null
  const tone = state === 'open' ? 'warn' : state === 'acknowledged' ? 'info' : 'good'
  return html`<span class="two-lines">
    <span><${Badge} tone=${tone}>${stateNames[state]}<//></span>
    ${at !== null && html`<small><${Time} at=${at} relative />${state === 'acknowledged' && by !== null && html` by <span class="mono anywhere">${by}</span>`}</small>`}
  </span>`
}

function choicesOf(names: Readonly<Record<string, string>>): readonly { readonly value: string; readonly label: string }[] {
  return Object.entries(names).map(([value, label]) => ({ value, label }))
}
