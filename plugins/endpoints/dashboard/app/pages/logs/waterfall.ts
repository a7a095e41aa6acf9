import type { VNode } from 'preact'
import { preciseDuration as exact } from '../../format.ts'
import { html } from '../../html.ts'
import { ticksOf } from './axis.ts'
import { Outcome } from './outcome.ts'
import type { RequestRecord } from './record.ts'
import { TimeTable } from './time-table.ts'
import { endOf, startOf, timelineOf, type Part, type PartKind, type Step, type Timeline } from './timeline.ts'

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
      <${TimeTable} timeline=${timeline} />
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
