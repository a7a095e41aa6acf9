import type { VNode } from 'preact'
import { Badge, Meter } from '../../components/feedback.ts'
import { Button, Panel } from '../../components/page.ts'
import { Table } from '../../components/table.ts'
import { count, duration, percent } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import type { EndpointMetrics } from '../models/catalog.ts'
import type { Provider, ProviderCondition, ProviderSum } from './state.ts'

const maxEndpoints = 8

export function ProviderPanel({
  provider,
  endpoints,
  sum,
  state,
  interval,
}: {
  readonly provider: Provider
  readonly endpoints: readonly EndpointMetrics[]
  readonly sum: ProviderSum
  readonly state: ProviderCondition
  /** Over which time the endpoints were measured. */
  readonly interval: string
}): VNode {
  const { id, plugin, credentials, queue } = provider
  const busiest = endpoints.toSorted((a, b) => b.requests - a.requests).slice(0, maxEndpoints)
  return html`<${Panel} title=${id} intro=${plugin ?? undefined} actions=${html`<${Badge} tone=${state.tone}>${state.text}<//>`}>
    <div class="stack">
      <div class="figures">
        <div><span class="stat-label">Attempts</span><strong>${count(sum.requests)}</strong></div>
        <div>
          <span class="stat-label">Failed</span
          ><strong class=${tone(sum.uptime)}>${percent(sum.uptime === null ? null : 1 - sum.uptime)}</strong>
        </div>
        ${
          queue &&
          html`<div>
            <${Meter}
              label="Requests under way"
              value=${queue.running}
              most=${queue.max_concurrent}
              text=${`${queue.running} of ${queue.max_concurrent} under way, ${queue.waiting} waiting`}
            />
          </div>`
        }
      </div>
      ${circuitsOf(provider)}
      ${
        credentials.length > 0 &&
        html`<ul class="credentials" aria-label="Credentials">
          ${credentials.map(
            each =>
              html`<li key=${each.id} class="row">
                <code>${each.id}</code>
                ${each.rests_for_ms > 0 ? html`<${Badge} tone="warn">rests for ${duration(each.rests_for_ms)}<//>` : html`<${Badge} tone="good">in use<//>`}
              </li>`,
          )}
        </ul>`
      }
      ${busiest.length > 0 && html`<${EndpointTable} endpoints=${busiest} provider=${id} interval=${interval} />`}
      <div class="row">
        <${Button} small href=${hrefOf('logs', { provider: id, time: interval })}>Its requests<//>
        <${Button} small href=${hrefOf('models', { search: `${id}/` })}>Its models<//>
        ${endpoints.length > maxEndpoints && html`<span class="muted">and ${endpoints.length - maxEndpoints} more endpoints</span>`}
      </div>
    </div>
  <//>`
}

/** Endpoints that failed lately. All others are healthy. */
function circuitsOf({ circuits }: Provider): VNode | false {
  if (circuits.length === 0) return false
  const tones = { open: 'bad', 'half-open': 'warn', closed: 'neutral' } as const
  return html`<ul class="credentials" aria-label="Circuits">
    ${circuits.map(
      ({ model, state, open_for_ms: ms }) =>
        html`<li key=${model} class="row">
          <span class="anywhere">${model}</span>
          <${Badge} tone=${tones[state]}
            >${state === 'open' ? `circuit open, tried again in ${duration(ms)}` : state === 'half-open' ? 'being tried again' : 'failed lately'}<//
          >
        </li>`,
    )}
  </ul>`
}

function EndpointTable({
  endpoints,
  provider,
  interval,
}: {
  readonly endpoints: readonly EndpointMetrics[]
  readonly provider: string
  readonly interval: string
}): VNode {
  return html`<${Table}
    label=${`Endpoints of ${provider}`}
    rows=${endpoints}
    rowKey=${({ model }: EndpointMetrics) => model}
    columns=${[
      {
        head: 'Model',
        cell: ({ model }: EndpointMetrics) => html`<a class="anywhere" href=${hrefOf('models', { model, interval })}>${model}</a>`,
      },
      { head: 'Attempts', align: 'end', cell: ({ requests }: EndpointMetrics) => count(requests) },
      { head: 'Uptime', align: 'end', cell: ({ uptime }: EndpointMetrics) => html`<span class=${tone(uptime)}>${percent(uptime)}</span>` },
      { head: 'p50', align: 'end', cell: ({ e2e_latency_ms: ms }: EndpointMetrics) => duration(ms.p50) },
      { head: 'p95', align: 'end', isExtra: true, cell: ({ e2e_latency_ms: ms }: EndpointMetrics) => duration(ms.p95) },
    ]}
  />`
}

function tone(uptime: number | null): string | undefined {
  return uptime === null || uptime >= 0.99 ? undefined : uptime >= 0.95 ? 'warn-text' : 'bad-text'
}
