import type { FunctionComponent, VNode } from 'preact'
import type { ListOf } from '../api.ts'
import { useData } from '../data.ts'
import { html, type Children } from '../html.ts'
import { useParameters, type Parameters } from '../place.ts'
import { Loading, Problem } from './feedback.ts'
import { Icon } from './icon.ts'
import { Button } from './page.ts'

export interface Column<T> {
  readonly head: string
  readonly cell: (row: T) => Children
  /** `end` for numbers. */
  readonly align?: 'end'
  /** Left out of a narrow window. */
  readonly isExtra?: boolean
  /** The name by which the list can be sorted by this column. */
  readonly sort?: string
}

/** Which column a list is sorted by, and what to do when somebody chooses another one. */
export interface Sorting {
  readonly by: string
  readonly isAscending: boolean
  readonly choose: (sort: string) => void
}

export interface TableProps<T> {
  /** The name of the table, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
  /** Makes the first cell of each row a link, and the whole row clickable. */
  readonly rowHref?: ((row: T) => string | undefined) | undefined
  /** In place of a table without rows. */
  readonly empty?: Children
  /** For a list with columns to sort by. */
  readonly sorting?: Sorting
}

/** On a phone, each row is a block with its cells below one another; the roles tell screen readers that it is a table still. */
export function Table<T>({ label, columns, rows, rowKey, rowHref, empty, sorting }: TableProps<T>): VNode {
  if (rows.length === 0 && empty !== undefined) return html`<div>${empty}</div>`
  const look = ({ align, isExtra }: Column<T>): string => [align, isExtra && 'extra'].filter(Boolean).join(' ')
  return html`<div class="table-frame" tabindex="0" role="region" aria-label=${label}>
    <table role="table">
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            column =>
              html`<th scope="col" role="columnheader" class=${look(column)} aria-sort=${sortOf(column, sorting)}>
                ${column.sort === undefined || !sorting ? column.head : html`<${SortButton} column=${column} sorting=${sorting} />`}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(row => {
          const href = rowHref?.(row)
          return html`<tr role="row" key=${rowKey(row)} class=${href && 'linked'}>
            ${columns.map(
              (column, index) =>
                html`<td role="cell" class=${look(column)} data-head=${column.head}>
                  ${index === 0 && href ? html`<a class="row-link" href=${href}>${column.cell(row)}</a>` : column.cell(row)}
                </td>`,
            )}
          </tr>`
        })}
      </tbody>
    </table>
  </div>`
}

function sortOf<T>({ sort }: Column<T>, sorting: Sorting | undefined): string | undefined {
  return sort === undefined || sorting?.by !== sort ? undefined : sorting.isAscending ? 'ascending' : 'descending'
}

function SortButton<T>({ column: { head, sort }, sorting }: { readonly column: Column<T>; readonly sorting: Sorting }): VNode {
  const { by, isAscending, choose } = sorting
  return html`<button type="button" class="sort" onClick=${() => choose(sort!)}>
    ${head}<span aria-hidden="true">${by === sort ? (isAscending ? '▲' : '▼') : ''}</span>
  </button>`
}

export interface PagedTableProps<T> extends Omit<TableProps<T>, 'rows'> {
  /** A list of the admin API. */
  readonly path: string
  readonly query?: Parameters
  readonly limit?: number
  readonly pollMs?: number | undefined
  /** The parameter of the address that has the cursor. Default: `cursor`. */
  readonly parameter?: string
  /** Changes whenever the list must be read again. */
  readonly version?: unknown
  /** In place of a list that could not be read. Default: the problem. */
  readonly failed?: FunctionComponent<{ readonly error: unknown; readonly retry: () => void }>
  /** Below the table: what its reader should know of the list. */
  readonly note?: (list: ListOf<T>) => Children
}

/** A table that reads one page at a time from the gateway. Where it is stands in the address. */
export function PagedTable<T>({
  path,
  query = {},
  limit = 20,
  pollMs,
  parameter = 'cursor',
  version,
  failed = Problem,
  note,
  ...table
}: PagedTableProps<T>): VNode {
  const [parameters, setParameters] = useParameters()
  const cursor = parameters[parameter]
  // Only the first page changes by itself.
  const { data, error, isLoading, reload } = useData<ListOf<T>>(
    path,
    { ...query, limit, cursor },
    {
      pollMs: cursor === undefined ? pollMs : undefined,
      version,
    },
  )
  if (error && !data) return html`<${failed} error=${error} retry=${reload} />`
  if (!data) return html`<${Loading} />`
  const isFirst = cursor === undefined
  return html`<div class="paged" aria-busy=${isLoading}>
    ${error && html`<${Problem} error=${error} retry=${reload} />`}
    <${Table} ...${table} rows=${data.data} empty=${isFirst ? table.empty : html`<p class="empty">No more entries.</p>`} />
    ${note?.(data)}
    ${
      (!isFirst || data.has_more) &&
      html`<nav class="pager" aria-label=${`Pages of ${table.label}`}>
        <${Button} small disabled=${isFirst} onClick=${() => setParameters({ [parameter]: undefined })}>First page<//>
        <${Button} small disabled=${isFirst} icon=${html`<${Icon} name="back" size=${14} />`} onClick=${() => history.back()}>Back<//>
        <${Button} small disabled=${!data.has_more} onClick=${() => setParameters({ [parameter]: data.next_cursor })}>
          Next page<${Icon} name="next" size=${14} />
        <//>
      </nav>`
    }
  </div>`
}
