import type { VNode } from 'preact'
import { Input, Select } from '../../components/fields.ts'
import { Button } from '../../components/page.ts'
import { localInput } from '../../format.ts'
import { html } from '../../html.ts'
import type { Parameters } from '../../place.ts'
import type { Keys } from './key-names.ts'
import { MoreFilters } from './more-filters.ts'
import { measures, newestFirst, orderIn, parametersOf, times, type LogFilters } from './query.ts'
import { statusText } from './reasons.ts'

const bounds = { from: 'From', to: 'To' }
const statuses = [200, 400, 401, 402, 403, 404, 422, 424, 429, 499, 500, 502, 503, 504, 529]
const orders = [
  { by: newestFirst, isAscending: false, label: 'Newest' },
  { by: newestFirst, isAscending: true, label: 'Oldest' },
  ...Object.entries(measures).flatMap(([by, { most, few }]) => [
    { by, isAscending: false, label: most },
    { by, isAscending: true, label: few },
  ]),
]

export type SetFilters = (change: Parameters, options?: { readonly replace?: boolean }) => void

/** The filters of the list. Every change goes back to its first page. */
export function Filters({
  filters,
  keys,
  set,
}: {
  readonly filters: LogFilters
  readonly keys: Keys['all']
  readonly set: SetFilters
}): VNode {
  const { id, key, model, provider, status, time } = filters
  const to = (name: string) => (value: string) => set({ [name]: value, cursor: undefined })
  const typed = (name: string) => (value: string) => set({ [name]: value, cursor: undefined }, { replace: true })
  const isSet = Object.values(filters).some(value => value !== undefined)
  const keyChoices = keys.map(each => ({ value: each.id, label: each.name }))
  // A key that is not among the newest, or that was deleted.
  const others = key !== undefined && !keys.some(each => each.id === key) ? [{ value: key, label: key }] : []
  const { by, isAscending } = orderIn(filters)
  const current = orders.findIndex(each => each.by === by && each.isAscending === isAscending)
  return html`<div class="stack" role="search" aria-label="Filter the requests">
    <div class="filters log-filters">
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
          { value: 'failed', label: 'Failed, streams too' },
          { value: 'error', label: 'Errors: 400 and above' },
          ...statuses.map(each => ({ value: String(each), label: statusText(each) })),
        ]}
        onChange=${to('status')}
      />
      <${Select} label="Key" value=${key ?? ''} choices=${[{ value: '', label: 'Any' }, ...keyChoices, ...others]} onChange=${to('key')} />
      <${Input} label="Model" value=${model ?? ''} placeholder="Any" onChange=${typed('model')} />
      <${Input} label="Provider" value=${provider ?? ''} placeholder="Any" onChange=${typed('provider')} />
      <${Select}
        label="Sort by"
        value=${String(current)}
        choices=${orders.map(({ label }, index) => ({ value: String(index), label }))}
        onChange=${(value: string) => {
          const chosen = orders[Number(value)]!
          set(parametersOf(chosen.by, chosen.isAscending))
        }}
      />
    </div>
    <div class="filters filters-end">
      <${MoreFilters} filters=${filters} set=${set} />
      ${isSet && html`<${Button} tone="quiet" href="logs">Clear<//>`}
    </div>
  </div>`
}

function choicesOf(
  named: Readonly<Record<string, { readonly label: string }>>,
): readonly { readonly value: string; readonly label: string }[] {
  return Object.entries(named).map(([value, { label }]) => ({ value, label }))
}
