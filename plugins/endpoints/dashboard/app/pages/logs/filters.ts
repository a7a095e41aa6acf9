import type { VNode } from 'preact'
import { Input, Select } from '../../components/fields.ts'
import { Button } from '../../components/page.ts'
import { recordFields, recordFilters, type Fields } from '../../fields.ts'
import { localInput, words } from '../../format.ts'
import { html } from '../../html.ts'
import type { Parameters } from '../../place.ts'
import type { Keys } from './key-names.ts'
import { moreFilters, times, type LogFilters } from './query.ts'
import { statusText } from './reasons.ts'

const bounds = { from: 'From', to: 'To' }
const statuses = [200, 400, 401, 402, 403, 404, 422, 424, 429, 499, 500, 502, 503, 504, 529]

/** The filters of the list. Every change goes back to its first page. */
export function Filters({
  filters,
  keys,
  set,
}: {
  readonly filters: LogFilters
  readonly keys: Keys['all']
  readonly set: (change: Parameters, options?: { readonly replace?: boolean }) => void
}): VNode {
  const { id, key, model, provider, status, time, min_cost_usd: cost, org, team, user } = filters
  const to = (name: string) => (value: string) => set({ [name]: value, cursor: undefined })
  const typed = (name: string) => (value: string) => set({ [name]: value, cursor: undefined }, { replace: true })
  const isSet = Object.values(filters).some(value => value !== undefined)
  const keyChoices = keys.map(each => ({ value: each.id, label: each.name }))
  // A key that is not among the newest, or that was deleted.
  const others = key !== undefined && !keys.some(each => each.id === key) ? [{ value: key, label: key }] : []
  return html`<div class="filters log-filters" role="search" aria-label="Filter the requests">
    <span class="wide-filter"
      ><${Input} type="search" label="Id" value=${id ?? ''} placeholder="req_…, resp_… or dec_…" onChange=${typed('id')}
    /></span>
    <${Select} label="Time" value=${time ?? ''} choices=${choicesOf(times)} onChange=${to('time')} />
    ${
      time === 'custom' &&
      Object.entries(bounds).map(
        ([name, label]) =>
          html`<${Input}
            key=${name}
            type="datetime-local"
            label=${label}
            value=${localInput(filters[name])}
            onChange=${(value: string) => to(name)(value && new Date(value).toISOString())}
          />`,
      )
    }
    <${Select}
      label="Status"
      value=${status ?? ''}
      choices=${[
        { value: '', label: 'Any' },
        { value: 'error', label: 'Errors' },
        ...statuses.map(each => ({ value: String(each), label: statusText(each) })),
      ]}
      onChange=${to('status')}
    />
    <${Select} label="Key" value=${key ?? ''} choices=${[{ value: '', label: 'Any' }, ...keyChoices, ...others]} onChange=${to('key')} />
    <${Input} label="Model" value=${model ?? ''} placeholder="Any" onChange=${typed('model')} />
    <${Input} label="Provider" value=${provider ?? ''} placeholder="Any" onChange=${typed('provider')} />
    ${moreFilters.map(
      name =>
        html`<${Input}
          key=${name}
          label=${words(recordFilters[name as keyof typeof recordFilters])}
          value=${filters[name] ?? ''}
          placeholder="Any"
          list=${examplesOf(name)}
          onChange=${typed(name)}
        />`,
    )}
    <${Input} type="number" label="Cost from, USD" value=${cost ?? ''} placeholder="0" onChange=${typed('min_cost_usd')} />
    ${[
      ['org', org],
      ['team', team],
      ['user', user],
    ].map(
      ([name, value]) => value !== undefined && html`<${Button} small key=${name} onClick=${() => to(name!)('')}>${name}: ${value} ✕<//>`,
    )}
    ${isSet && html`<${Button} tone="quiet" href="logs">Clear<//>`}
  </div>`
}

function choicesOf(
  named: Readonly<Record<string, { readonly label: string }>>,
): readonly { readonly value: string; readonly label: string }[] {
  return Object.entries(named).map(([value, { label }]) => ({ value, label }))
}

function examplesOf(name: string): readonly string[] | undefined {
  return (recordFields as Fields)[recordFilters[name as keyof typeof recordFilters]]?.examples
}
