import type { VNode } from 'preact'
import type { ListOf } from '../api.ts'
import { Badge, Empty, Loading, PartProblem, Problem } from '../components/feedback.ts'
import { Select } from '../components/fields.ts'
import { Button, Page, Panel } from '../components/page.ts'
import { useData } from '../data.ts'
import { html } from '../html.ts'
import { hrefOf, useParameters } from '../place.ts'
import type { EndpointMetrics } from './models/catalog.ts'
import { ProviderPanel } from './providers/provider-panel.ts'
import { stateOf, sumOf, type Provider } from './providers/state.ts'

const liveMs = 5_000
const intervals = { '15m': 'Last 15 minutes', '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days' }

/** The state of each provider: its credentials, its circuits, and the recent performance of its endpoints. */
export default function Providers(): VNode {
  const [{ interval = '1h' }, set] = useParameters()
  const providers = useData<ListOf<Provider>>('/providers', {}, { all: true, pollMs: liveMs })
  const metrics = useData<ListOf<EndpointMetrics>>('/metrics/endpoints', { interval }, { all: true, pollMs: liveMs })
  const { error } = providers
  const order = { bad: 0, warn: 1, good: 2, neutral: 3 }
  const rows = (providers.data?.data ?? [])
    .map(provider => {
      const endpoints = (metrics.data?.data ?? []).filter(each => each.provider === provider.id)
      const sum = sumOf(endpoints)
      return { provider, endpoints, sum, state: stateOf(provider, sum) }
    })
    .toSorted(
      (a, b) => order[a.state.tone] - order[b.state.tone] || b.sum.requests - a.sum.requests || a.provider.id.localeCompare(b.provider.id),
    )
  const ill = rows.filter(({ state }) => state.tone === 'bad' || state.tone === 'warn').length
  return html`<${Page}
    title="Providers"
    intro=${providers.data && html`${rows.length} loaded${ill > 0 && html`, <${Badge} tone="warn">${ill} with a problem<//>`}`}
    actions=${html`<div class="filters">
      <${Select}
        label="Measured over"
        value=${interval}
        choices=${Object.entries(intervals).map(([value, label]) => ({ value, label }))}
        onChange=${(value: string) => set({ interval: value === '1h' ? undefined : value })}
      />
    </div>`}
  >
    ${error && html`<${Problem} error=${error} retry=${providers.reload} />`} ${!providers.data && !error && html`<${Loading} />`}
    <${PartProblem} title="The measurements could not be loaded." of=${metrics} />
    ${
      providers.data &&
      rows.length === 0 &&
      html`<${Panel}>
        <${Empty} title="No provider is loaded" action=${html`<${Button} href=${hrefOf('settings')}>See the plugins<//>`}>
          Set the key of one in the environment, such as OPENAI_API_KEY, then restart the gateway.
        <//>
      <//>`
    }
    <div class="cards">${rows.map(row => html`<${ProviderPanel} key=${row.provider.id} interval=${interval} ...${row} />`)}</div>
  <//>`
}
