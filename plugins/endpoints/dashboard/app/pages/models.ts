import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ListOf } from '../api.ts'
import { Badge, Empty, PartProblem } from '../components/feedback.ts'
import { Input } from '../components/fields.ts'
import { Button, Page, Panel } from '../components/page.ts'
import { PagedTable } from '../components/table.ts'
import { compact, duration, none, percent, usd } from '../format.ts'
import { useData, type Loaded } from '../data.ts'
import { html } from '../html.ts'
import { hrefOf, useParameters } from '../place.ts'
import { AutoPage } from './models/auto-page.ts'
import { capabilitiesOf, cheapest, priceText, type EndpointMetrics, type Model } from './models/catalog.ts'
import { ModelPage } from './models/model-page.ts'

/** The catalog. With `?model=`, one of its models. */
export default function Models(): VNode {
  const [{ model, search, cursor, sort, interval, key }, set] = useParameters()
  const [metricsOf, metrics] = useMetrics()
  if (model === 'auto') return html`<${AutoPage} sort=${sort} routedAs=${key} />`
  if (model !== undefined)
    return html`<${ModelPage} id=${model} sort=${sort} interval=${interval} routedAs=${key} back=${hrefOf('models', { search, cursor })} />`
  const empty =
    search === undefined
      ? html`<${Empty} title="No models"
          >Set the key of a provider in the environment, then restart the gateway. Its models appear here.<//
        >`
      : html`<${Empty} title=${`No model matches “${search}”`} action=${html`<${Button} href="models">Show all models<//>`}>
          Models of providers that are not loaded are not listed.
        <//>`
  return html`<${Page}
    title="Models"
    intro="The models that callers can name. A request without a sort goes to the endpoint that performed best lately."
    actions=${html`<${Button} href=${hrefOf('models', { model: 'auto' })}>What auto would choose<//>`}
  >
    <div class="filters" role="search" aria-label="Find models">
      <span class="wide-filter">
        <${Input}
          type="search"
          label="Name or provider"
          value=${search ?? ''}
          placeholder="Search"
          onChange=${(value: string) => set({ search: value, cursor: undefined }, { replace: true })}
        />
      </span>
    </div>
    <${PartProblem} title="Uptime and p50 could not be loaded." of=${metrics} />
    <${Panel} flush>
      <${PagedTable}
        label="Models"
        path="/models"
        query=${{ search }}
        limit=${50}
        rowKey=${({ id }: Model) => id}
        rowHref=${({ id }: Model) => hrefOf('models', { model: id, search, cursor })}
        empty=${empty}
        columns=${[
          { head: 'Model', cell: ({ id }: Model) => html`<span class="anywhere">${id}</span>` },
          { head: 'Providers', cell: ({ endpoints }: Model) => providersOf(endpoints.map(({ provider }) => provider)) },
          {
            head: 'USD per M tokens',
            align: 'end',
            cell: ({ endpoints }: Model) => priceText(cheapest(endpoints), usd),
          },
          { head: 'Context', align: 'end', isExtra: true, cell: ({ endpoints }: Model) => contextOf(endpoints) },
          { head: 'Uptime', align: 'end', isExtra: true, cell: (each: Model) => percent(metricsOf(each)?.uptime) },
          { head: 'p50', align: 'end', isExtra: true, cell: (each: Model) => duration(metricsOf(each)?.e2e_latency_ms.p50) },
          { head: 'Can', isExtra: true, cell: ({ endpoints }: Model) => capabilities(endpoints) },
          { head: 'Agreements', cell: ({ endpoints }: Model) => agreements(endpoints) },
        ]}
      />
    <//>
  <//>`
}

const liveMs = 10_000
const maxNamed = 2

/** The metrics of each model's endpoint that was used most in the last hour. */
function useMetrics(): readonly [of: (model: Model) => EndpointMetrics | undefined, loaded: Loaded<ListOf<EndpointMetrics>>] {
  const loaded = useData<ListOf<EndpointMetrics>>('/metrics/endpoints', { interval: '1h' }, { all: true, pollMs: liveMs })
  const { data } = loaded
  const metricsOf = useMemo(() => {
    const sorted = (data?.data ?? []).toSorted((a, b) => a.requests - b.requests)
    const busiest = new Map(sorted.map(metrics => [metrics.model, metrics]))
    return ({ id }: Model) => busiest.get(id)
  }, [data])
  return [metricsOf, loaded]
}

function providersOf(providers: readonly string[]): string {
  const [named, others] = [providers.slice(0, maxNamed), providers.length - maxNamed]
  return others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ')
}

function contextOf(endpoints: Model['endpoints']): string {
  const largest = Math.max(0, ...endpoints.map(each => each.context_window ?? 0))
  return largest === 0 ? none : compact(largest)
}

function capabilities(endpoints: Model['endpoints']): VNode {
  const all = [...new Set(endpoints.flatMap(capabilitiesOf))]
  const [named, others] = [all.slice(0, maxNamed), all.slice(maxNamed)]
  return html`<span class="row nowrap">
    ${named.map(each => html`<${Badge} key=${each}>${each}<//>`)}
    ${others.length > 0 && html`<span class="muted" title=${others.join(', ')}>+${others.length}</span>`}
  </span>`
}

function agreements(endpoints: Model['endpoints']): VNode {
  const [zdr, hipaa] = [endpoints.some(each => each.zdr), endpoints.some(each => each.hipaa)]
  if (!zdr && !hipaa) return html`<span class="muted">${none}</span>`
  return html`<span class="row">${zdr && html`<${Badge} tone="accent">ZDR<//>`}${hipaa && html`<${Badge} tone="info">HIPAA<//>`}</span>`
}
