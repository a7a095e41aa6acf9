import type { VNode } from 'preact'
import type { ListOf } from '../../api.ts'
import { Code } from '../../components/copy.ts'
import { Facts } from '../../components/facts.ts'
import { Badge, Empty, Loading, Notice, PartProblem, Problem } from '../../components/feedback.ts'
import { Select } from '../../components/fields.ts'
import { Button, Page, Panel } from '../../components/page.ts'
import { Table } from '../../components/table.ts'
import { useData } from '../../data.ts'
import { compact, count, duration, none, percent, perSecond, usd } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf, useParameters } from '../../place.ts'
import { useSession } from '../../session.ts'
import { passedOver, preferred } from '../logs/reasons.ts'
import { RouteControls, valueText } from './route-controls.ts'
import { capabilitiesOf, priceText, type Endpoint, type EndpointMetrics, type Model, type RoutePreview } from './catalog.ts'

const liveMs = 10_000
const intervals = ['15m', '1h', '6h', '24h', '7d']

interface Row {
  readonly endpoint: Endpoint
  readonly metrics: EndpointMetrics | undefined
  readonly candidate: RoutePreview['candidates'][number] | undefined
  readonly order: number | undefined
}

/** One model: its endpoints in the order in which the router would ask them now. */
export function ModelPage({
  id,
  sort,
  interval = '1h',
  routedAs,
  back,
}: {
  readonly id: string
  readonly sort: string | undefined
  readonly interval: string | undefined
  /** The id of the key whose rules count. */
  readonly routedAs: string | undefined
  readonly back: string
}): VNode {
  const [, set] = useParameters()
  const { may } = useSession()
  const list = useData<ListOf<Model>>('/models', { search: id }, { all: true })
  const model = list.data?.data.find(each => each.id === id)
  const generates = model?.endpoints.some(({ kind }) => kind === 'generation') ?? false
  const metrics = useData<ListOf<EndpointMetrics>>('/metrics/endpoints', { interval }, { all: true, pollMs: liveMs })
  const routes = useData<RoutePreview>(generates ? '/routes' : undefined, { model: id, sort, interval, key: routedAs }, { pollMs: liveMs })
  const rows = model ? rowsOf(model, metrics.data?.data ?? [], routes.data) : []
  return html`<${Page}
    title=${id}
    above=${{ title: 'Models', href: back }}
    actions=${html`${may('editor') && html`<${Button} href=${hrefOf('playground', { model: id })} tone="primary">Try it in the playground<//>`}
      <${Button} href=${hrefOf('logs', { model: id, time: interval })}>Its requests<//>`}
  >
    ${list.error && html`<${Problem} error=${list.error} retry=${list.reload} />`} ${!list.data && !list.error && html`<${Loading} />`}
    ${list.data && !model && html`<${Empty} title=${`There is no model “${id}”`}>Its provider is no longer loaded, or the model was renamed.<//>`}
    ${model && html`<${Panel}><${Facts} facts=${factsOf(model)} /><//>`}
    ${
      model &&
      html`<${Panel}
          flush
          title="Endpoints"
          intro=${generates ? introOf(routes.data) : undefined}
          actions=${html`<div class="filters">
            ${generates && html`<${RouteControls} sort=${sort} routedAs=${routedAs} />`}
            <${Select}
              label="Measured over"
              value=${interval}
              choices=${intervals.map(each => ({ value: each, label: each }))}
              onChange=${(value: string) => set({ interval: value === '1h' ? undefined : value })}
            />
          </div>`}
        >
          <${PartProblem} title="The measurements could not be loaded." of=${metrics} />
          ${routes.error && html`<${Notice} tone="warn" title="A request would be refused.">${routes.error.message}<//>`}
          <${EndpointTable} rows=${rows} preview=${routes.data} />
        <//>
        <div class="cards">${rows.map(({ endpoint }) => html`<${Details} key=${endpoint.provider} endpoint=${endpoint} />`)}</div>`
    }
  <//>`
}

function factsOf({ aliases, family, owned_by: owner, auto }: Model): readonly (readonly [string, VNode | string | null])[] {
  return [
    ['Made by', owner === 'unknown' ? null : owner],
    ['Family', family],
    ['Aliases', aliases.length === 0 ? null : aliases.join(', ')],
    ['Chosen by auto', auto ? 'yes' : 'no'],
  ]
}

function introOf(preview: RoutePreview | undefined): string {
  if (!preview) return 'In the order in which a request would try them now.'
  const by = preview.sort === null ? 'of the catalog' : `by ${preview.sort}`
  const why = preview.preferred === null ? '' : ` ${preferred[preview.preferred] ?? preview.preferred}`
  return `In the order ${by} in which a request would try them now.${why}`
}

function rowsOf(model: Model, metrics: readonly EndpointMetrics[], preview: RoutePreview | undefined): readonly Row[] {
  const candidates = preview?.candidates ?? []
  const rows = model.endpoints.map((endpoint): Row => {
    const isSame = (each: { readonly provider: string; readonly model: string }): boolean =>
      each.provider === endpoint.provider && each.model === model.id
    const order = candidates.findIndex(isSame)
    const candidate = candidates[order]
    const isAsked = candidate?.passed_over === null
    return { endpoint, metrics: metrics.find(isSame), candidate, order: isAsked ? order + 1 : undefined }
  })
  return rows.toSorted((a, b) => (a.order ?? Infinity) - (b.order ?? Infinity) || 0)
}

function EndpointTable({ rows, preview }: { readonly rows: readonly Row[]; readonly preview: RoutePreview | undefined }): VNode {
  const hasOrder = preview !== undefined
  return html`<${Table}
    label="Endpoints in order"
    rows=${rows}
    rowKey=${({ endpoint }: Row) => endpoint.provider}
    columns=${[
      ...(hasOrder ? [{ head: 'Order', cell: ({ order }: Row) => order ?? none }] : []),
      { head: 'Provider', cell: ({ endpoint }: Row) => html`<strong>${endpoint.provider}</strong>` },
      { head: 'State', cell: stateOf },
      ...(hasOrder && preview.sort !== null
        ? [
            {
              head: `${preview.sort}${preview.unit ? `, ${preview.unit}` : ''}`,
              align: 'end' as const,
              isExtra: true,
              cell: ({ candidate }: Row) => valueText(candidate?.value),
            },
          ]
        : []),
      { head: 'Uptime', align: 'end', cell: ({ metrics }: Row) => percent(metrics?.uptime) },
      { head: 'First token', align: 'end', isExtra: true, cell: ({ metrics }: Row) => duration(metrics?.latency_ms.p50) },
      { head: 'p50', align: 'end', cell: ({ metrics }: Row) => duration(metrics?.e2e_latency_ms.p50) },
      { head: 'p95', align: 'end', isExtra: true, cell: ({ metrics }: Row) => duration(metrics?.e2e_latency_ms.p95) },
      { head: 'Speed', align: 'end', isExtra: true, cell: ({ metrics }: Row) => perSecond(metrics?.throughput) },
      { head: 'Attempts', align: 'end', isExtra: true, cell: ({ metrics }: Row) => count(metrics?.requests ?? 0) },
      { head: 'USD per M', align: 'end', cell: ({ endpoint }: Row) => priceText(endpoint.price, usd) },
    ]}
  />`
}

function stateOf({ candidate }: Row): VNode {
  if (candidate?.circuit_open) return html`<${Badge} tone="bad">circuit open<//>`
  const why = candidate?.passed_over
  if (why !== undefined && why !== null)
    return html`<span title=${passedOver[why] ?? why}><${Badge} tone="warn">not asked: ${why}<//></span>`
  return html`<${Badge} tone="good">ready<//>`
}

function Details({ endpoint }: { readonly endpoint: Endpoint }): VNode {
  const { provider, upstream_model: upstream, context_window: context, max_output_tokens: output, price, zdr, hipaa } = endpoint
  const link = (url: string | undefined): VNode | undefined =>
    url === undefined ? undefined : html`<a href=${url} rel="noreferrer" target="_blank">${url}</a>`
  const can = capabilitiesOf(endpoint)
  return html`<${Panel} title=${`At ${provider}`}>
    <${Facts}
      facts=${[
        ['Name there', html`<${Code} text=${upstream} what="name" />`],
        ['Context window', context === null ? null : `${compact(context)} tokens`],
        ['Longest answer', output === null ? null : `${compact(output)} tokens`],
        ['Price', price === null ? 'unknown' : html`<${PriceList} price=${price} />`],
        ['Can', can.length === 0 ? null : html`<span class="row">${can.map(each => html`<${Badge} key=${each}>${each}<//>`)}</span>`],
        ['Zero data retention', zdr ? link(zdr.policy_url) : 'no agreement'],
        ['HIPAA', hipaa ? link(hipaa.baa_url) : 'no agreement'],
      ]}
    />
  <//>`
}

function PriceList({ price }: { readonly price: NonNullable<Endpoint['price']> }): VNode {
  const { input, output, cache_read: cached, request, web_search: search, tiers = [] } = price
  const parts = [
    `${usd(input)} per million tokens of input`,
    cached !== undefined && `${usd(cached)} from the cache`,
    `${usd(output)} of output`,
    request !== undefined && `${usd(request)} per request`,
    search !== undefined && `${usd(search)} per web search`,
    ...tiers.map(tier => `${usd(tier.input)} and ${usd(tier.output)} above ${compact(tier.above)} tokens of input`),
  ]
  return html`<span>${parts.filter(Boolean).join(', ')}</span>`
}
