import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { html } from '../../html.ts'

interface Plugin {
  readonly name: string
  readonly provides: readonly string[]
  readonly contributions: readonly { readonly point: string; readonly name: string }[]
}

/** More than these are only counted. */
const maxNames = 6

const columns: readonly Column<Plugin>[] = [
  { head: 'Plugin', cell: ({ name }) => html`<code>${name}</code>` },
  {
    head: 'Provides',
    cell: ({ provides }) => html`<span class="row">${provides.map(name => html`<${Badge} tone="info">${name}<//>`)}</span>`,
    isExtra: true,
  },
  { head: 'Adds', cell: ({ contributions }) => html`<span class="stack tight">${pointsOf(contributions).map(added)}</span>` },
]

/** The plugins, in the order in which they are set up. */
export function Plugins(): VNode {
  return html`<${Panel} flush title="Plugins" intro="In setup order: as in the config, but each plugin after those that it needs.">
    <${PagedTable} label="Plugins" path="/plugins" limit=${100} columns=${columns} rowKey=${({ name }: Plugin) => name} />
  <//>`
}

function pointsOf(contributions: Plugin['contributions']): readonly (readonly [point: string, names: readonly string[]])[] {
  return [...Map.groupBy(contributions, ({ point }) => point)].map(([point, all]) => [point, all.map(({ name }) => name)])
}

function added([point, names]: readonly [string, readonly string[]]): VNode {
  const rest = names.length - maxNames
  return html`<span
    ><span class="muted">${point}: </span>${names.slice(0, maxNames).join(', ')}<span class="muted"
      >${rest > 0 ? ` and ${rest} more` : ''}</span
    ></span
  >`
}
