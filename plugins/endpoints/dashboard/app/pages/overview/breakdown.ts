import type { VNode } from 'preact'
import { Table, type Column } from '../../components/table.ts'
import { compact, count, duration, percent, usd } from '../../format.ts'
import { html, type Children } from '../../html.ts'
import { hrefOf, type Parameters } from '../../place.ts'
import { countsAttempts, otherModel, splits, type Split } from './splits.ts'
import type { Group, UsageRow } from './usage-series.ts'

interface Row {
  readonly group: Group
  readonly total: UsageRow
  readonly share: number
}

/** The totals of each group. `kept`: the parameters that links to a page keep. */
export function Breakdown({
  totals,
  groups,
  split,
  kept,
}: {
  readonly totals: readonly UsageRow[]
  readonly groups: readonly Group[]
  readonly split: Split
  readonly kept: Readonly<Record<'' | 'logs', Parameters>>
}): VNode {
  const ofAttempts = countsAttempts(split)
  const most = Math.max(1, ...totals.map(({ requests }) => requests))
  const rows = groups.flatMap((group): readonly Row[] => {
    const total = totals.find(group.has)
    return total ? [{ group, total, share: total.requests / most }] : []
  })
  const hrefFor = ({ group: { value } }: Row): string | undefined => {
    if (value === null || value === undefined || (split === 'model' && value === otherModel)) return undefined
    const { page, query } = splits[split].linkOf(value)
    return hrefOf(page, { ...kept[page], ...query })
  }
  /** The requests of a group, where they can be told by it. */
  const logsOf = ({ value }: Group, query: Parameters): string | undefined =>
    value === null || value === undefined || value === otherModel ? undefined : hrefOf('logs', { ...kept.logs, [split]: value, ...query })
  return html`<${Table}
    label=${`Totals by ${splits[split].label.toLowerCase()}`}
    rows=${rows}
    rowKey=${({ group }: Row) => group.name}
    rowHref=${hrefFor}
    columns=${[
      { head: splits[split].label, cell: ({ group }: Row) => group.name },
      {
        head: 'Requests',
        align: 'end',
        cell: ({ total, share }: Row) =>
          html`<span class="share">
            <span class="share-bar" aria-hidden="true"><span style=${{ width: `${share * 100}%` }}></span></span>${count(total.requests)}
          </span>`,
      },
      {
        head: ofAttempts ? 'Failed attempts' : 'Errors',
        align: 'end',
        cell: ({ group, total }: Row) => failedShare(total, ofAttempts, logsOf(group, { status: 'error' })),
      },
      { head: 'Tokens', align: 'end', isExtra: true, cell: ({ total }: Row) => compact(total.input_tokens + total.output_tokens) },
      { head: 'Cost', align: 'end', cell: ({ total }: Row) => usd(total.cost_usd) },
      ...(split === 'session' || kept[''].session !== undefined ? [] : times(ofAttempts, group => logsOf(group, { sort: 'elapsed_ms' }))),
    ]}
  />`
}

function times(ofAttempts: boolean, slowest: (group: Group) => string | undefined): readonly Column<Row>[] {
  return [
    { head: 'p50', align: 'end', isExtra: true, cell: ({ total }) => duration(ofAttempts ? total.attempt_p50_ms : total.p50_ms) },
    {
      head: 'p95',
      align: 'end',
      isExtra: true,
      cell: ({ group, total }) =>
        linked(duration(ofAttempts ? total.attempt_p95_ms : total.p95_ms), slowest(group), 'the slowest requests'),
    },
  ]
}

function failedShare(
  { requests, errors, attempts, failed_attempts: failedAttempts }: UsageRow,
  ofAttempts: boolean,
  href: string | undefined,
): Children {
  const [failed, all] = ofAttempts ? [failedAttempts ?? 0, attempts ?? 0] : [errors, requests]
  if (all === 0) return percent(null)
  const share = html`<span class=${failed > 0 ? 'bad-text' : 'muted'} title=${`${count(failed)} of ${count(all)}`}
    >${percent(failed / all)}</span
  >`
  // Attempts that failed are also those of requests that another endpoint answered.
  return failed > 0 && !ofAttempts ? linked(share, href, 'the requests that failed') : share
}

function linked(text: Children, href: string | undefined, title: string): Children {
  return href === undefined ? text : html`<a href=${href} title=${title}>${text}<span class="hidden">: ${title}</span></a>`
}
