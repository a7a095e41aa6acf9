import type { VNode } from 'preact'
import { Badge, Empty, Loading, Notice } from '../../components/feedback.ts'
import { Page, Panel } from '../../components/page.ts'
import { Table } from '../../components/table.ts'
import { useData } from '../../data.ts'
import { endpointName } from '../../endpoint-name.ts'
import { count, none, percent } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import { passedOver, preferred } from '../logs/reasons.ts'
import type { RoutePreview } from './catalog.ts'
import { RouteControls, valueText } from './route-controls.ts'

const liveMs = 10_000

type Row = RoutePreview['candidates'][number] & { readonly order: number }

/** The order in which a request with the model `auto` would be sent to endpoints now. */
export function AutoPage({ sort, routedAs }: { readonly sort: string | undefined; readonly routedAs: string | undefined }): VNode {
  const { data, error } = useData<RoutePreview>('/routes', { model: 'auto', sort, key: routedAs }, { pollMs: liveMs })
  const rows = (data?.candidates ?? []).map((candidate, index): Row => ({ ...candidate, order: index + 1 }))
  const head = data?.sort ? `${data.sort}${data.unit ? `, ${data.unit}` : ''}` : 'Value'
  return html`<${Page}
    title="What auto would choose"
    above=${{ title: 'Models', href: 'models' }}
    intro="The order in which a request with the model auto would try endpoints now."
    actions=${html`<div class="filters"><${RouteControls} sort=${sort} routedAs=${routedAs} /></div>`}
  >
    ${error && html`<${Notice} tone="warn" title="A request would be refused.">${error.message}<//>`}
    ${!data && !error && html`<${Loading} />`}
    ${
      data &&
      html`<${Panel} flush intro=${data.preferred === null ? undefined : (preferred[data.preferred] ?? data.preferred)}>
        <${Table}
          label="Endpoints in order"
          rows=${rows}
          rowKey=${({ provider, model }: Row) => `${provider}/${model}`}
          rowHref=${({ model }: Row) => hrefOf('models', { model })}
          empty=${html`<${Empty} title="No model to choose from">Load a provider whose models auto may choose. It never chooses the sandbox.<//>`}
          columns=${[
            { head: 'Endpoint', cell: ({ provider, model }: Row) => html`<span class="anywhere">${endpointName(provider, model)}</span>` },
            { head: 'Order', align: 'end', cell: ({ order, passed_over: why }: Row) => (why === null ? order : none) },
            { head, align: 'end', cell: ({ value }: Row) => valueText(value) },
            { head: 'Uptime', align: 'end', isExtra: true, cell: ({ uptime }: Row) => percent(uptime) },
            { head: 'Attempts', align: 'end', isExtra: true, cell: ({ requests }: Row) => count(requests) },
            {
              head: 'State',
              cell: ({ passed_over: why, circuit_open: isOpen }: Row) =>
                isOpen
                  ? html`<${Badge} tone="bad">circuit open<//>`
                  : why === null
                    ? html`<${Badge} tone="good">ready<//>`
                    : (passedOver[why] ?? why),
            },
          ]}
        />
      <//>`
    }
  <//>`
}
