import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { Table } from '../../components/table.ts'
import { endpointName } from '../../endpoint-name.ts'
import { duration, none } from '../../format.ts'
import { html } from '../../html.ts'
import { valueText } from '../models/route-controls.ts'
import { passedOver, preferred } from './reasons.ts'
import type { Candidate, Routing } from './record.ts'

interface Row extends Candidate {
  readonly place: number
}

/** The order in which endpoints were to be tried, and why the others were not. */
export function RoutingTable({ routing }: { readonly routing: Routing }): VNode {
  const { sort, model_sort: modelSort, interval_ms: intervalMs, candidates } = routing
  const rows = candidates.map((candidate, index): Row => ({ ...candidate, place: index + 1 }))
  const more = Object.entries(routing.passed_over)
  const passed = more.reduce((sum, [, times]) => sum + times, 0)
  // A record has the first candidates only.
  const isCut = passed > candidates.filter(({ passed_over: why }) => why !== null).length
  return html`<div class="stack">
    <p>
      ${sort === null ? 'In the order of the catalog' : html`Sorted by <strong>${sort}</strong> over the last ${duration(intervalMs)}`}${
        modelSort !== null && modelSort !== sort && html`, models by <strong>${modelSort}</strong>`
      }.
      ${routing.preferred !== null && (preferred[routing.preferred] ?? routing.preferred)}
    </p>
    <${Table}
      label="Candidates"
      rows=${rows}
      rowKey=${({ provider, model }: Row) => `${provider}/${model}`}
      columns=${[
        { head: 'Order', cell: (row: Row) => (row.passed_over === null ? row.place : none) },
        { head: 'Endpoint', cell: ({ provider, model }: Row) => html`<span class="anywhere">${endpointName(provider, model)}</span>` },
        { head: sort ?? 'Value', cell: ({ value }: Row) => valueText(value), align: 'end' },
        {
          head: 'Why not',
          cell: ({ passed_over: why }: Row) => (why === null ? html`<${Badge} tone="good">candidate<//>` : (passedOver[why] ?? why)),
        },
      ]}
    />
    ${isCut && html`<p class="muted">Passed over: ${more.map(([reason, times]) => `${times} × ${reason}`).join(', ')}.</p>`}
  </div>`
}
