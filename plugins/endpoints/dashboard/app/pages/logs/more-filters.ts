import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Input, Select } from '../../components/fields.ts'
import { Badge } from '../../components/feedback.ts'
import { recordFields, recordFilters, type Field, type Fields } from '../../fields.ts'
import { words } from '../../format.ts'
import { html } from '../../html.ts'
import { useSession } from '../../session.ts'
import type { SetFilters } from './filters.ts'
import { measures, moreFilters, type LogFilters } from './query.ts'

/** Names that say more than those of the fields. */
const labels: Readonly<Record<string, string>> = { org: 'Organization', reason: 'Class of failure' }

/** The filters that fewer people need: every other field of the list, and the least of a number. */
export function MoreFilters({ filters, set }: { readonly filters: LogFilters; readonly set: SetFilters }): VNode {
  const { org: ownOrg } = useSession()
  const shown = moreFilters.filter(name => ownOrg === null || name !== 'org')
  const least = Object.keys(measures).map(name => `min_${name}`)
  const used = [...shown, ...least].filter(name => filters[name] !== undefined).length
  const [isOpen, setOpen] = useState(used > 0)
  const to = (name: string) => (value: string) => set({ [name]: value, cursor: undefined })
  const typed = (name: string) => (value: string) => set({ [name]: value, cursor: undefined }, { replace: true })
  return html`<details
    class="more-filters"
    open=${isOpen}
    onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
  >
    <summary>More filters${used > 0 && html` <${Badge} tone="accent">${used}<//>`}</summary>
    <div class="filters log-filters">
      ${shown.map(name => {
        const { choices, examples } = fieldOf(name)
        const common = { label: labels[name] ?? words(memberOf(name)), value: filters[name] ?? '' }
        return choices
          ? html`<${Select}
              key=${name}
              ...${common}
              choices=${[{ value: '', label: 'Any' }, ...choices.map(value => ({ value, label: value }))]}
              onChange=${to(name)}
            />`
          : html`<${Input} key=${name} ...${common} placeholder="Any" list=${examples} onChange=${typed(name)} />`
      })}
      ${Object.entries(measures).map(
        ([name, { least: label, unit }]) =>
          html`<${Input}
            key=${name}
            type="number"
            label=${unit === '' ? label : `${label}, ${unit}`}
            value=${filters[`min_${name}`] ?? ''}
            placeholder="0"
            onChange=${typed(`min_${name}`)}
          />`,
      )}
    </div>
  </details>`
}

function fieldOf(name: string): Field {
  return (recordFields as Fields)[memberOf(name)]!
}

function memberOf(name: string): string {
  return recordFilters[name as keyof typeof recordFilters]
}
