import type { VNode } from 'preact'
import type { ListOf } from '../../api.ts'
import { Badge, Empty } from '../../components/feedback.ts'
import { Input } from '../../components/fields.ts'
import { Button, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { useData } from '../../data.ts'
import { html } from '../../html.ts'
import { hrefOf, useParameters } from '../../place.ts'
import { useSession } from '../../session.ts'

interface Entry {
  readonly id: string
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly org: string | null
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>
  readonly created_at: string
}

const filters = ['actor', 'target', 'org'] as const
const filterNames = { actor: 'Who', target: 'What', org: 'Organization' } as const

const columnsFor = (names: ReadonlyMap<string, string>): readonly Column<Entry>[] => [
  { head: 'Time', cell: ({ created_at: at }) => html`<${Time} at=${at} />` },
  { head: 'Who', cell: ({ actor }) => who(actor, names.get(actor)) },
  { head: 'Did', cell: ({ action }) => html`<${Badge} tone=${action.endsWith('.delete') ? 'bad' : 'neutral'}>${action}<//>` },
  { head: 'To what', cell: target },
  { head: 'Organization', cell: ({ org }) => org ?? html`<span class="muted">all</span>`, isExtra: true },
  { head: 'Changes', cell: changes },
]

/** Who changed what, the newest first. */
export function AuditTrail(): VNode {
  const [parameters, setParameters] = useParameters()
  const { may } = useSession()
  const tokens = useData<ListOf<{ readonly id: string; readonly name: string }>>(may('owner') ? '/admin-tokens' : undefined, { limit: 100 })
  const names = new Map(tokens.data?.data.map(({ id, name }) => [id, name]))
  const isFiltered = filters.some(name => parameters[name] !== undefined)
  return html`<div class="stack">
    <div class="filters" role="search" aria-label="Audit trail">
      ${filters.map(
        name =>
          html`<${Input}
            key=${name}
            label=${filterNames[name]}
            placeholder="All"
            value=${parameters[name] ?? ''}
            onChange=${(value: string) => setParameters({ [name]: value, cursor: undefined }, { replace: true })}
          />`,
      )}
      ${isFiltered && html`<${Button} tone="quiet" href=${hrefOf('settings', { tab: 'audit' })}>Show all<//>`}
    </div>
    <${Panel} flush>
      <${PagedTable}
        label="Audit trail"
        path="/audit"
        query=${Object.fromEntries(filters.map(name => [name, parameters[name]]))}
        columns=${columnsFor(names)}
        rowKey=${({ id }: Entry) => id}
        empty=${html`<${Empty} title=${isFiltered ? 'Nothing matches' : 'No changes yet'} />`}
      />
    <//>
  </div>`
}

/** The id of an admin token, with its name if the viewer may know it. */
function who(actor: string, name: string | undefined): VNode {
  if (name === undefined) return html`<code>${actor}</code>`
  return html`<span class="two-lines">${name}<small class="mono">${actor}</small></span>`
}

/** The target of the entry, as a link if it has a page. */
function target({ action, target: id, org }: Entry): VNode {
  const [kind] = action.split('.') as [string]
  const href = {
    keys: hrefOf('keys', { id }),
    playground: hrefOf('keys', { id }),
    orgs: hrefOf('accounts', { level: 'org', id }),
    teams: hrefOf('accounts', { level: 'team', id, org }),
    users: hrefOf('accounts', { level: 'user', id, org }),
    credits: hrefOf('accounts', { level: 'org', id: org, tab: 'credit' }),
    records: hrefOf('logs', { record: id }),
    alerts: hrefOf('alerts', { state: 'any' }),
    silences: hrefOf('alerts', { tab: 'silences' }),
    'alert-targets': hrefOf('alerts', { tab: 'targets' }),
    'alert-messages': hrefOf('alerts', { tab: 'messages', state: 'any' }),
  }[kind]
  return href === undefined || action.endsWith('.delete') ? html`<code>${id}</code>` : html`<a href=${href}><code>${id}</code></a>`
}

function changes({ changes: changed }: Entry): VNode {
  const names = Object.keys(changed)
  if (names.length === 0) return html`<span class="muted">–</span>`
  return html`<details>
    <summary>${names.length === 1 ? names[0] : `${names.length} members`}</summary>
    <dl class="facts">
      ${names.map(
        name =>
          html`<dt key=${name}>${name}</dt>
            <dd><code class="value">${JSON.stringify(changed[name]!.from)} → ${JSON.stringify(changed[name]!.to)}</code></dd>`,
      )}
    </dl>
  </details>`
}
