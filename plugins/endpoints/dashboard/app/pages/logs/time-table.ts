import type { VNode } from 'preact'
import { Table, type Column } from '../../components/table.ts'
import { none, preciseDuration as exact } from '../../format.ts'
import { html, type Children } from '../../html.ts'
import { Outcome } from './outcome.ts'
import { endOf, isWait, startOf, type Part, type PartKind, type Timeline } from './timeline.ts'

/** The numbers of the picture. */
export function TimeTable({ timeline }: { readonly timeline: Timeline }): VNode {
  return html`<${Table} label="Times after the arrival" rows=${rowsOf(timeline)} rowKey=${({ key }: TimeRow) => key} columns=${columns} />
    <p class="hint">Times begin with the arrival of the request. An attempt does not count the time in which the client did not read.</p>`
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
