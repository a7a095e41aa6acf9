import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api, type ListOf } from '../../api.ts'
import { Confirm } from '../../components/dialog.ts'
import { Empty, Problem } from '../../components/feedback.ts'
import { Input, Select } from '../../components/fields.ts'
import { Button, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { html } from '../../html.ts'
import { tellAlertsChanged } from '../../open-alerts.ts'
import { hrefOf, useParameters } from '../../place.ts'
import { isRange, ranges, spanOf } from '../../ranges.ts'
import { useSession } from '../../session.ts'
import { kindNames, stateNames, type Alert } from './alert.ts'
import { alertCell, stateCell } from './alert-cells.ts'
import { NewSilence } from './new-silence.ts'
import { NotKept } from './not-loaded.ts'

const liveMs = 10_000

/** The alerts, the newest first: those that are open, unless somebody asks for others. */
export function AlertList(): VNode {
  const [{ kind, state = 'open', org, time }, setParameters] = useParameters()
  const { may, org: ownOrg } = useSession()
  const [silencing, setSilencing] = useState<Alert>()
  const [error, setError] = useState<unknown>()
  const [version, setVersion] = useState(0)
  const [done, setDone] = useState('')
  const [all, setAll] = useState<readonly Alert[]>()
  const told = (text: string): void => {
    setDone(text)
    setVersion(now => now + 1)
    tellAlertsChanged()
  }
  const acknowledge = async ({ id, title }: Alert, button: HTMLElement): Promise<void> => {
    setError(undefined)
    try {
      await api.post(pathOf(id), {})
    } catch (thrown) {
      return setError(thrown)
    }
    leaveTo(button)
    told(`${title}: acknowledged`)
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
        note=${({ data }: ListOf<Alert>) => may('editor') && html`<${ForAll} open=${data.filter(each => each.state === 'open')} choose=${setAll} />`}
        empty=${emptyText(isNarrowed, state)}
      />
    <//>
    ${
      all &&
      html`<${Confirm}
        title=${`Acknowledge ${all.length} alerts?`}
        action="Acknowledge"
        tone="primary"
        onClose=${() => setAll(undefined)}
        onConfirm=${async () => {
          for (const { id } of all) await api.post(pathOf(id), {})
          setAll(undefined)
          told(`${all.length} alerts: acknowledged`)
        }}
      >
        All that the page shows. Somebody takes care of them.
      <//>`
    }
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

function ForAll({ open, choose }: { readonly open: readonly Alert[]; readonly choose: (alerts: readonly Alert[]) => void }): VNode | false {
  return (
    open.length > 1 &&
    html`<div class="table-note"><${Button} small onClick=${() => choose(open)}>Acknowledge these ${open.length}<//></div>`
  )
}

function pathOf(id: string): string {
  return `/alerts/${encodeURIComponent(id)}/acknowledge`
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
  return html`<${Empty} title="No alerts yet">What happens to spend caps, providers, keys and certificates appears here.<//>`
}

function choicesOf(names: Readonly<Record<string, string>>): readonly { readonly value: string; readonly label: string }[] {
  return Object.entries(names).map(([value, label]) => ({ value, label }))
}
