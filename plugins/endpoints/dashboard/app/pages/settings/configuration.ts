import type { VNode } from 'preact'
import { Badge, Empty, Loading, Problem, type Tone } from '../../components/feedback.ts'
import { Input, Switch } from '../../components/fields.ts'
import { Panel } from '../../components/page.ts'
import { Table, type Column } from '../../components/table.ts'
import { useData } from '../../data.ts'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'

type Source = 'command-line' | 'environment' | 'config' | 'default'

interface Option {
  readonly value: unknown
  readonly source: Source
  /** Of the environment. */
  readonly variables?: readonly string[]
}

interface Config {
  readonly server: Readonly<Record<string, Option>>
  readonly plugins: readonly { readonly name: string; readonly options: Readonly<Record<string, Option>> }[]
}

/** Longer values are folded. */
const maxShownLength = 160

type Row = Option & { readonly name: string }

const tones: Readonly<Record<Source, Tone>> = { 'command-line': 'accent', environment: 'accent', config: 'info', default: 'neutral' }
const columns: readonly Column<Row>[] = [
  { head: 'Option', cell: ({ name }) => html`<code>${name}</code>` },
  { head: 'Value', cell: ({ value }) => shown(value) },
  {
    head: 'From',
    cell: ({ source, variables = [] }) =>
      html`<span class="row">
        <${Badge} tone=${tones[source] ?? 'neutral'}>${source}<//>
        ${variables.map(name => html`<code class="muted">${name}</code>`)}
      </span>`,
  },
]

/** Every option in effect, and where its value comes from. */
export function Configuration(): VNode {
  const [{ find = '', all }, setParameters] = useParameters()
  const { data, error, reload } = useData<Config>('/config')
  if (error && !data) return html`<${Problem} error=${error} retry=${reload} />`
  if (!data) return html`<${Loading} />`
  const parts = [{ name: 'server', options: data.server }, ...data.plugins]
    .map(({ name, options }) => ({ name, rows: rowsOf(name, options, find.toLowerCase(), all !== undefined) }))
    .filter(({ rows }) => rows.length > 0)
  return html`<div class="stack">
    <div class="filters" role="search" aria-label="Options">
      <${Input}
        label="Find"
        type="search"
        placeholder="Option or plugin"
        value=${find}
        onChange=${(value: string) => setParameters({ find: value }, { replace: true })}
      />
      <${Switch}
        label="Show defaults, too"
        checked=${all !== undefined}
        onChange=${(checked: boolean) => setParameters({ all: checked })}
      />
    </div>
    ${parts.map(
      ({ name, rows }) =>
        html`<${Panel} key=${name} flush title=${name}>
          <${Table} label=${`Options of ${name}`} columns=${columns} rows=${rows} rowKey=${(row: Row) => row.name} />
        <//>`,
    )}
    ${
      parts.length === 0 &&
      html`<${Panel}
        ><${Empty} title=${find ? 'No option matches' : 'All options have their defaults'}>Show the defaults to see all options.<//><//
      >`
    }
  </div>`
}

function rowsOf(name: string, options: Config['server'], find: string, withDefaults: boolean): readonly Row[] {
  return Object.entries(options)
    .map(([option, facts]) => ({ name: option, ...facts }))
    .filter(row => withDefaults || row.source !== 'default')
    .filter(row => `${name} ${row.name}`.toLowerCase().includes(find))
}

function shown(value: unknown): VNode {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const code = html`<code class="value">${text}</code>`
  if (text.length <= maxShownLength) return code
  return html`<details>
    <summary>${Array.isArray(value) ? `${value.length} entries` : 'an object'}</summary>
    ${code}
  </details>`
}
