import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Confirm } from '../../components/dialog.ts'
import { Badge, Empty, Notice, Problem } from '../../components/feedback.ts'
import { Icon } from '../../components/icon.ts'
import { Button, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { duration } from '../../format.ts'
import { html, type Children } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import { useSession } from '../../session.ts'
import { kindName } from './alert.ts'
import { NotLoaded } from './not-loaded.ts'
import { formatName, severities, type Target } from './target.ts'
import { TargetForm } from './target-form.ts'

const liveMs = 10_000

interface Tested {
  readonly target: Target
  readonly delivered?: boolean
  readonly status?: number | null
  readonly failure?: string | null
  readonly elapsed_ms?: number
  readonly error?: unknown
}

/** Who is told of alerts. */
export function TargetList(): VNode {
  const { may, org: ownOrg } = useSession()
  const [editing, setEditing] = useState<Target | 'new'>()
  const [deleting, setDeleting] = useState<Target>()
  const [testing, setTesting] = useState<string>()
  const [tested, setTested] = useState<Tested>()
  const [version, setVersion] = useState(0)
  const changed = (): void => setVersion(now => now + 1)
  const test = async (target: Target): Promise<void> => {
    setTesting(target.id)
    setTested(undefined)
    const result = await api.post<Omit<Tested, 'target'>>(pathOf(target, '/test'), {}).catch((error: unknown) => ({ error }))
    setTested({ ...result, target })
    setTesting(undefined)
    changed()
  }
  const actions = (target: Target): VNode =>
    html`<span class="row actions-cell">
      <${Button} small disabled=${testing !== undefined} aria-label=${`Test ${target.name}`} onClick=${() => void test(target)}>
        ${testing === target.id ? 'Testing…' : 'Test'}
      <//>
      ${
        target.source === 'api' &&
        html`<${Button} small aria-label=${`Change ${target.name}`} onClick=${() => setEditing(target)}>Change<//>
          <${Button} small tone="danger" aria-label=${`Delete ${target.name}`} onClick=${() => setDeleting(target)}>Delete<//>`
      }
    </span>`
  const columns: readonly Column<Target>[] = [
    { head: 'Target', cell: nameCell },
    ...(ownOrg === null ? [{ head: 'Belongs to', cell: ownerCell }] : []),
    { head: 'Gets', isExtra: true, cell: filterCell },
    { head: 'State', cell: stateCell },
    { head: 'Last delivered', isExtra: true, cell: ({ delivered_at: at }) => html`<${Time} at=${at} relative />` },
    ...(may('editor') ? [{ head: 'Actions', cell: actions }] : []),
  ]
  const create =
    may('editor') &&
    html`<${Button} tone="primary" small icon=${html`<${Icon} name="plus" size=${14} />`} onClick=${() => setEditing('new')}>New target<//>`
  return html`<div class="stack">
    ${tested && html`<${TestResult} tested=${tested} />`}
    <${Panel}
      flush
      title="Targets"
      intro="Addresses that get alerts. Those of the operator are in the config, and get alerts of all organizations."
      actions=${create}
    >
      <${PagedTable}
        label="Targets of alerts"
        path="/alert-targets"
        pollMs=${liveMs}
        version=${version}
        columns=${columns}
        rowKey=${({ id }: Target) => id}
        failed=${NotLoaded}
        empty=${html`<${Empty} title="No targets yet" action=${create}>Nobody is told of alerts of an organization without a target.<//>`}
      />
    <//>
    ${
      editing &&
      html`<${TargetForm} target=${editing === 'new' ? undefined : editing} onClose=${() => setEditing(undefined)} onSaved=${changed} />`
    }
    ${
      deleting &&
      html`<${Confirm}
        title=${`Delete ${deleting.name}?`}
        action="Delete"
        onClose=${() => setDeleting(undefined)}
        onConfirm=${async () => {
          await api.delete(pathOf(deleting))
          setDeleting(undefined)
          changed()
        }}
      >
        It gets no more alerts, and what waits to be delivered to it is deleted.
      <//>`
    }
  </div>`
}

function pathOf({ id }: Target, rest = ''): string {
  return `/alert-targets/${encodeURIComponent(id)}${rest}`
}

function TestResult({ tested: { target, delivered, status, failure, elapsed_ms: elapsedMs, error } }: { readonly tested: Tested }): VNode {
  if (error !== undefined) return html`<${Problem} title=${`${target.name} could not be tested.`} error=${error} />`
  const said = [status && `status ${status}`, elapsedMs !== undefined && duration(elapsedMs)].filter(Boolean).join(', ')
  return delivered
    ? html`<${Notice} tone="good" title=${`${target.name} got the test alert.`}>${said}<//>`
    : html`<${Notice} tone="bad" title=${`${target.name} did not get the test alert.`}>${failure}${said && ` (${said})`}<//>`
}

function nameCell({ name, format, host, url_end: end, secret_ends: secrets }: Target): VNode {
  const signed = secrets.length === 0 ? '' : `, signed with …${secrets.join(' and …')}`
  return html`<span class="two-lines">
    <span class="anywhere">${name}</span>
    <small class="anywhere">${formatName(format)} at ${host}${end === null ? '' : ` …${end}`}${signed}</small>
  </span>`
}

function ownerCell({ org, orgs }: Target): Children {
  if (org !== null) return html`<a class="anywhere" href=${hrefOf('accounts', { level: 'org', id: org })}>${org}</a>`
  return html`<span class="two-lines"
    >the operator<small class="anywhere">${orgs === null ? 'for all' : `for ${orgs.join(', ')}`}</small></span
  >`
}

function filterCell({ kinds, min_severity: least }: Target): VNode {
  const severity = severities.find(({ value }) => value === least)?.label ?? least
  return html`<span class="two-lines"> ${kinds === null ? 'All kinds' : kinds.map(kindName).join(', ')}<small>${severity}</small> </span>`
}

function stateCell(target: Target): VNode {
  const { id, disabled, ended_at: ended, waiting, failed } = target
  const state = disabled
    ? html`<${Badge}>disabled<//>`
    : ended !== null
      ? html`<${Badge} tone="bad">gone<//>`
      : html`<${Badge} tone="good">in use<//>`
  return html`<span class="row">
    ${state}${waiting > 0 && html`<${Badge} tone="warn">${waiting} waiting<//>`}
    ${failed > 0 && html`<a class="bad-text" href=${hrefOf('alerts', { tab: 'messages', target: id })}>${failed} failed</a>`}
    ${ended !== null && html`<small class="muted">It answered 410 Gone. A test that succeeds uses it again.</small>`}
  </span>`
}
