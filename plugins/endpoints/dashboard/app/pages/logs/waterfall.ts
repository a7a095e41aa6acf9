import type { VNode } from 'preact'
import { Badge, type Tone } from '../../components/feedback.ts'
import { Table, type Column } from '../../components/table.ts'
import { none, preciseDuration as exact, usd } from '../../format.ts'
import { html, type Children } from '../../html.ts'
import { ticksOf } from './axis.ts'
import { outcomes } from './reasons.ts'
import type { Attempt, RequestRecord } from './record.ts'
import { endOf, isWait, startOf, timelineOf, type Part, type PartKind, type Step, type Timeline } from './timeline.ts'

const partNames: Readonly<Record<PartKind, string>> = {
  gateway: 'Checks, policy and plan',
  credit: 'Waiting for credit that other requests hold',
  backoff: 'Pause after a failure',
  queue: 'Waiting for a place at the provider',
  first: 'Until the first event',
  answer: 'Answer',
  failed: 'Failed',
  dropped: 'Not needed any more',
  unknown: 'Tools, checks, storing, or a client that reads slowly',
}
const manyAttempts = 8

/** When everything happened, drawn to scale, with the same as a table. */
export function Waterfall({ record }: { readonly record: RequestRecord }): VNode {
  const timeline = timelineOf(record)
  const { totalMs, steps } = timeline
  const ticks = ticksOf(totalMs)
  const used = new Set(steps.flatMap(({ parts }) => parts.map(({ kind }) => kind)))
  const step = { '--step': share(ticks[1] ?? totalMs, totalMs) }
  return html`<div class="stack">
    <div class=${steps.length > manyAttempts ? 'waterfall dense' : 'waterfall'} style=${step}>
      <${Axis} ticks=${ticks} totalMs=${totalMs} />
      <ol>
        ${steps.map((each, index) => html`<${Row} key=${index} step=${each} timeline=${timeline} />`)}
      </ol>
    </div>
    <ul class="legend waterfall-legend" aria-label="Colors">
      ${(Object.keys(partNames) as PartKind[])
        .filter(kind => used.has(kind))
        .map(
          kind =>
            html`<li key=${kind} class="legend-entry">
              <span class=${`legend-color part ${kind}`} aria-hidden="true"></span>${partNames[kind]}
            </li>`,
        )}
      ${
        timeline.firstEventMs !== null &&
        html`<li class="legend-entry">
          <span class="first-mark" aria-hidden="true"></span>First event, after <strong>${exact(timeline.firstEventMs)}</strong>
        </li>`
      }
    </ul>
    <details class="more">
      <summary>The same as a table</summary>
      <${Table} label="Times after the arrival" rows=${rowsOf(timeline)} rowKey=${({ key }: TimeRow) => key} columns=${columns} />
      <p class="hint">Times begin with the arrival of the request. An attempt does not count the time in which the client did not read.</p>
    </details>
  </div>`
}

function Axis({ ticks, totalMs }: { readonly ticks: readonly number[]; readonly totalMs: number }): VNode {
  return html`<div class="waterfall-axis" aria-hidden="true">
    <div>
      ${ticks.map(
        (at, index) =>
          html`<span
            key=${at}
            class=${index === 0 ? 'at-start' : at > totalMs * 0.9 ? 'at-end' : undefined}
            style=${{ left: share(at, totalMs) }}
          >
            ${index === 0 ? '0' : exact(at)}
          </span>`,
      )}
    </div>
  </div>`
}

function Row({ step, timeline }: { readonly step: Step; readonly timeline: Timeline }): VNode {
  const { name, attempt, isBeside, parts } = step
  const { totalMs, firstEventMs } = timeline
  return html`<li class="step">
    <div class="step-name">
      <span class=${attempt ? 'anywhere strong two-lined' : 'muted'} title=${name}>${name}</span>
      ${attempt && html`<${Outcome} attempt=${attempt} isBeside=${isBeside} />`}
    </div>
    <div class="step-track" aria-hidden="true">
      ${parts.map(
        (part, index) =>
          html`<span key=${index} class=${`part ${part.kind}`} title=${titleOf(part)} style=${placeOf(part, totalMs)}></span>`,
      )}
      ${firstEventMs !== null && html`<span class="first-mark" style=${{ left: share(firstEventMs, totalMs) }}></span>`}
    </div>
    <div class="step-time">${exact(endOf(step) - startOf(step))}</div>
  </li>`
}

function Outcome({ attempt, isBeside }: { readonly attempt: Attempt; readonly isBeside: boolean }): VNode {
  const { outcome, status, cost_usd: cost, vendor_code: code } = attempt
  const said = [status !== null && status >= 400 ? String(status) : undefined, code].filter(each => each !== undefined)
  return html`<${Badge} tone=${toneOf(outcome)}>${outcomes[outcome] ?? outcome}<//>
    ${said.length > 0 && html`<code class="anywhere muted">${said.join(' ')}</code>`}
    ${isBeside && html`<${Badge} tone="info">side by side<//>`}
    ${cost !== undefined && cost !== null && html`<span class="muted">${outcome === 'outrun' ? 'may cost' : 'cost'} ${usd(cost)}</span>`}`
}

export function toneOf(outcome: string): Tone {
  return outcome === 'ok' ? 'good' : outcome === 'outrun' || outcome === 'left' ? 'neutral' : 'bad'
}

interface TimeRow {
  readonly key: string
  readonly name: string
  readonly began: number
  readonly waits: readonly Part[]
  readonly firstMs: number | undefined
  readonly ended: number
  readonly outcome: Children
  readonly requestId: string | undefined
}

const columns: readonly Column<TimeRow>[] = [
  { head: 'Step', cell: ({ name }) => html`<div class="anywhere step-cell">${name}</div>` },
  { head: 'Began', align: 'end', cell: ({ began }) => exact(began) },
  {
    head: 'Waited',
    align: 'end',
    cell: ({ waits }) =>
      waits.length === 0
        ? none
        : waits.map(({ kind, fromMs, toMs }) => html`<div key=${kind}>${exact(toMs - fromMs)} ${shortWaits[kind]}</div>`),
  },
  { head: 'First event after', align: 'end', cell: ({ firstMs }) => exact(firstMs) },
  { head: 'Took', align: 'end', cell: ({ began, ended }) => exact(ended - began) },
  { head: 'Ended', align: 'end', cell: ({ ended }) => exact(ended) },
  {
    head: 'Outcome',
    cell: ({ outcome, requestId }) =>
      html`<div class="row">${outcome}</div>
        ${requestId !== undefined && html`<small class="muted">The vendor’s request id: <code class="anywhere">${requestId}</code></small>`}`,
  },
]
const shortWaits: Readonly<Partial<Record<PartKind, string>>> = { credit: 'for credit', backoff: 'pause', queue: 'for a place' }

function rowsOf({ steps }: Timeline): readonly TimeRow[] {
  return steps.map((step, index) => {
    const { name, attempt, parts } = step
    return {
      key: String(index),
      name,
      began: startOf(step),
      waits: parts.filter(({ kind }) => isWait(kind)),
      firstMs: attempt?.first_event_ms,
      ended: endOf(step),
      outcome: attempt ? html`<${Outcome} attempt=${attempt} isBeside=${step.isBeside} />` : none,
      requestId: attempt?.request_id,
    }
  })
}

function titleOf({ kind, fromMs, toMs }: Part): string {
  return `${partNames[kind]}: ${exact(toMs - fromMs)}, from ${exact(fromMs)} to ${exact(toMs)}`
}

/** Short parts stay visible, also at the very end. */
function placeOf({ fromMs, toMs }: Part, totalMs: number): Readonly<Record<string, string>> {
  return { left: `min(${share(fromMs, totalMs)}, 100% - 3px)`, width: `max(${share(toMs - fromMs, totalMs)}, 3px)` }
}

function share(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(3)}%`
}
