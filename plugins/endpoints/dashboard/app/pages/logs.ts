import type { VNode } from 'preact'
import { withQuery, type ListOf } from '../api.ts'
import { Badge, Empty, PartProblem } from '../components/feedback.ts'
import { Switch } from '../components/fields.ts'
import { Button, Page, Panel } from '../components/page.ts'
import { PagedTable, type Column, type Sorting } from '../components/table.ts'
import { count, duration, none, time, usd } from '../format.ts'
import { html } from '../html.ts'
import { hrefOf, useParameters, type Parameters } from '../place.ts'
import { useSession } from '../session.ts'
import { useKeys, type Keys } from './logs/key-names.ts'
import { Filters } from './logs/filters.ts'
import { LogTime } from './logs/log-time.ts'
import { isRanked, newestFirst, orderIn, parametersOf, queryOf, type LogFilters } from './logs/query.ts'
import { StatusBadge } from './logs/status-badge.ts'
import type { RequestRecord } from './logs/record.ts'
import { RecordPage } from './logs/record-page.ts'

const liveMs = 5_000
/** Sorting reads many records. */
const sortedMs = 30_000

/** The requests, the newest first unless somebody sorts them. With `?record=`, one of them. */
export default function Logs(): VNode {
  const [{ record, ...others }] = useParameters()
  return record === undefined ? html`<${LogList} />` : html`<${RecordPage} id=${record} back=${hrefOf('logs', others)} />`
}

function LogList(): VNode {
  const [{ cursor, live, ...filters }, setParameters] = useParameters()
  const keys = useKeys()
  const isLive = live !== 'off'
  const isFiltered = Object.values(filters).some(value => value !== undefined)
  return html`<${Page}
    title="Logs"
    intro="Every request leaves one record. Find it by the request id, response id or decision id from a reply."
    actions=${html`<${Switch}
        label="Live"
        checked=${isLive}
        onChange=${(checked: boolean) => setParameters({ live: checked ? undefined : 'off' })}
      />
      <${Button}
        href=${`admin/v1${withQuery('/records/export', { ...queryOf(filters, Date.now()), sort: undefined, order: undefined })}`}
        download="records.jsonl"
        >Export<//
      >`}
  >
    <${Filters} filters=${filters} keys=${keys.all} set=${setParameters} />
    <${PartProblem} title="The names of the keys could not be loaded." of=${keys.loaded} />
    <${Panel} flush>
      <${LogTable}
        filters=${filters}
        keyName=${keys.nameOf}
        kept=${{ live, cursor }}
        isLive=${isLive}
        isFiltered=${isFiltered}
        set=${setParameters}
      />
    <//>
  <//>`
}

function LogTable({
  filters,
  keyName,
  kept,
  isLive,
  isFiltered,
  set,
}: {
  readonly filters: LogFilters
  readonly keyName: Keys['nameOf']
  /** Parameters that links to a record keep, so that the way back leads to the same place. */
  readonly kept: Parameters
  readonly isLive: boolean
  readonly isFiltered: boolean
  readonly set: (change: Parameters) => void
}): VNode {
  const { may } = useSession()
  const { by, isAscending } = orderIn(filters)
  const sorting: Sorting = {
    by,
    isAscending,
    choose: column => set(parametersOf(column, column === by && !isAscending)),
  }
  const isExtra = (sort: string): boolean => by !== sort
  const empty = isFiltered
    ? html`<${Empty} title="No request matches" action=${html`<${Button} href="logs">Show all requests<//>`}>
        Remove a filter, or search for another id. Records appear a second or two after the reply.
      <//>`
    : html`<${Empty}
        title="No requests yet"
        action=${may('editor') && html`<${Button} tone="primary" href="playground">Try one in the playground<//>`}
      >
        Send a request with a key from the page Keys, and it appears here.
      <//>`
  return html`<${PagedTable}
    label="Requests"
    path="/records"
    query=${queryOf(filters, Date.now())}
    limit=${100}
    pollMs=${!isLive ? undefined : isRanked(filters) ? sortedMs : liveMs}
    sorting=${sorting}
    note=${searchedNote}
    rowKey=${({ id }: RequestRecord) => id}
    rowHref=${({ id }: RequestRecord) => hrefOf('logs', { ...filters, ...kept, record: id })}
    empty=${empty}
    columns=${[
      { head: 'Time', sort: newestFirst, cell: ({ created_at: at }: RequestRecord) => html`<${LogTime} at=${at} />` },
      {
        head: 'Status',
        cell: (record: RequestRecord) => html`<${StatusBadge} record=${record} />${codeOf(record)}`,
      },
      { head: 'Model', cell: (record: RequestRecord) => modelOf(record) },
      { head: 'Surface', isExtra: true, cell: ({ surface }: RequestRecord) => surface ?? none },
      { head: 'Key', isExtra: true, cell: ({ key }: RequestRecord) => (key === null ? none : keyName(key)) },
      {
        head: 'Tokens',
        align: 'end',
        isExtra: isExtra('total_tokens'),
        sort: 'total_tokens',
        cell: ({ usage }: RequestRecord) => (usage ? `${count(usage.input_tokens)} → ${count(usage.output_tokens)}` : none),
      },
      {
        head: 'Cost',
        align: 'end',
        isExtra: isExtra('cost_usd'),
        sort: 'cost_usd',
        cell: ({ cost_usd: cost }: RequestRecord) => usd(cost),
      },
      ...(by === 'first_event_ms' ? [firstEvent] : []),
      { head: 'Duration', align: 'end', sort: 'elapsed_ms', cell: ({ elapsed_ms: ms }: RequestRecord) => duration(ms) },
    ]}
  />`
}

/** Where the list is sorted by it. Otherwise there is no room. */
const firstEvent: Column<RequestRecord> = {
  head: 'First event',
  align: 'end',
  sort: 'first_event_ms',
  cell: ({ first_event_ms: ms }) => duration(ms),
}

/** A sorted list may not have looked at all records. */
function searchedNote({ searched_from: from }: ListOf<RequestRecord> & { readonly searched_from?: string | null }): VNode | null {
  if (!from) return null
  return html`<p class="table-note muted">
    There are too many requests to compare all of them: these are among those since ${time(from)}. Choose a shorter time or another filter.
  </p>`
}

/** The code of a failure, where there is room. */
function codeOf({ error_code: code }: RequestRecord): VNode | false {
  return code !== null && html`<small class="extra block muted anywhere">${code}</small>`
}

/** The model that answered or was asked last, or else the one asked for; and the number of attempts if there was more than one. */
function modelOf({ provider, model, requested_model: requested, attempts, method, path }: RequestRecord): VNode {
  const name = model ?? requested
  return html`<span class="row">
    ${name === null ? html`<code class="muted">${method} ${path}</code>` : html`<span class="anywhere">${name}</span>`}
    ${provider !== null && !name?.startsWith(`${provider}/`) && html`<span class="muted">${provider}</span>`}
    ${attempts.length > 1 && html`<${Badge} tone="warn">${attempts.length} attempts<//>`}
  </span>`
}
