import type { VNode } from 'preact'
import { Select } from '../../components/fields.ts'
import { none } from '../../format.ts'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'
import { useKeys } from '../logs/key-names.ts'

const sorts = ['performance', 'cost', 'latency', 'p95_latency', 'e2e_latency', 'p95_e2e_latency', 'throughput', 'uptime']

/** By what the endpoints are sorted, and whose rules count. Both stand in the address. */
export function RouteControls({ sort, routedAs }: { readonly sort: string | undefined; readonly routedAs: string | undefined }): VNode {
  const [, set] = useParameters()
  const { all: keys } = useKeys()
  return html`<${Select}
      label="Sort"
      value=${sort ?? ''}
      choices=${[{ value: '', label: 'The default' }, ...sorts.map(each => ({ value: each, label: each }))]}
      onChange=${(value: string) => set({ sort: value })}
    />
    <${Select}
      label="As the key"
      value=${routedAs ?? ''}
      choices=${[{ value: '', label: 'Any' }, ...keys.map(each => ({ value: each.id, label: each.name }))]}
      onChange=${(value: string) => set({ key: value })}
    />`
}

const digits = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 })

/** A value of a sort: the column says its unit. */
export function valueText(number: number | null | undefined): string {
  return number === null || number === undefined ? none : digits.format(number)
}
