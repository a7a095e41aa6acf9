import type { VNode } from 'preact'
import { Badge, Empty, Meter, type Tone } from '../../components/feedback.ts'
import { Input } from '../../components/fields.ts'
import { Icon } from '../../components/icon.ts'
import { Button, Page, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import type { ListOf } from '../../api.ts'
import { useData } from '../../data.ts'
import { usd } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf, useParameters } from '../../place.ts'
import { useSession } from '../../session.ts'
import { policyFields } from '../../policy.ts'
import { statusOf, type Key, type KeyStatus } from './key.ts'

const filters = ['org', 'team', 'user'] as const
const filterNames = { org: 'Organization', team: 'Team', user: 'User' } as const
export const statusTones: Readonly<Record<KeyStatus, Tone>> = { active: 'good', disabled: 'neutral', expired: 'warn' }

const columns: readonly Column<Key>[] = [
  { head: 'Name', cell: ({ id, name }) => html`<span class="two-lines">${name}<small class="mono">${id}</small></span>` },
  { head: 'Status', cell: key => html`<${Badge} tone=${statusTones[statusOf(key)]}>${statusOf(key)}<//>` },
  {
    head: 'Belongs to',
    cell: ({ org, team, user }) => html`<span class="two-lines">${org}<small>${[team, user].filter(Boolean).join(' · ')}</small></span>`,
    isExtra: true,
  },
  { head: 'Policy', cell: policyBadges, isExtra: true },
  { head: 'Spent', cell: spent },
  {
    head: 'Last used',
    cell: ({ last_used_at: at }) => (at ? html`<${Time} at=${at} relative />` : html`<span class="muted">never</span>`),
    isExtra: true,
  },
]

export function KeyList(): VNode {
  const [parameters, setParameters] = useParameters()
  const { may } = useSession()
  const orgs = useData<ListOf<{ readonly id: string }>>('/orgs', undefined, { all: true })
  const query = Object.fromEntries(filters.map(name => [name, parameters[name]]))
  const isFiltered = filters.some(name => parameters[name] !== undefined)
  const create = html`<${Button}
    tone="primary"
    icon=${html`<${Icon} name="plus" />`}
    href=${hrefOf('keys', { new: true, org: parameters['org'] })}
    >New key<//
  >`
  return html`<${Page}
    title="Keys"
    intro="Each key sets who may call the gateway, which models, how much, and under which policy."
    actions=${may('editor') && create}
  >
    <div class="filters" role="search" aria-label="Keys">
      ${filters.map(
        name =>
          html`<${Input}
            key=${name}
            label=${filterNames[name]}
            placeholder="All"
            value=${parameters[name] ?? ''}
            list=${name === 'org' ? (orgs.data?.data.map(({ id }) => id) ?? []) : undefined}
            onChange=${(value: string) => setParameters({ [name]: value, cursor: undefined }, { replace: true })}
          />`,
      )}
      ${isFiltered && html`<${Button} tone="quiet" href="keys">Show all<//>`}
    </div>
    <${Panel} flush>
      <${PagedTable}
        label="Keys"
        path="/keys"
        query=${query}
        columns=${columns}
        rowKey=${({ id }: Key) => id}
        rowHref=${({ id }: Key) => hrefOf('keys', { ...query, cursor: parameters['cursor'], id })}
        empty=${
          isFiltered
            ? html`<${Empty} title="No keys match">Check the ids, or show all keys.<//>`
            : html`<${Empty} title="No keys yet" action=${may('editor') && create}>An application sends its key with each request.<//>`
        }
      />
    <//>
  <//>`
}

function spent({ name, spent_usd: value, spend_cap_usd: cap, spend_period: period }: Key): VNode {
  const text = cap === null ? usd(value) : `${usd(value)} of ${usd(cap)}${period === null ? '' : ` a ${period}`}`
  return html`<${Meter} label=${`Spent by ${name}, in US dollars`} value=${value} most=${cap} text=${text} />`
}

/** The fields that the key itself turns on, and those that another level decides. */
function policyBadges({ policy, policy_source: source, policy_error: problem }: Key): VNode {
  if (source === null) return html`<span class="muted" title=${problem}>unavailable</span>`
  const shown = policyFields.filter(field => source[field] !== 'key' || policy[field]?.value)
  return html`<span class="row">
    ${shown.map(
      field =>
        html`<${Badge} tone=${source[field] === 'key' ? 'accent' : 'info'}>
          ${source[field] !== 'key' && html`<${Icon} name="lock" size=${12} />`}${field}${source[field] !== 'key' && html`<span class="hidden">, decided by the ${source[field]}</span>`}
        <//>`,
    )}
    ${shown.length === 0 && html`<span class="muted">none</span>`}
  </span>`
}
