import type { VNode } from 'preact'
import type { ListOf } from '../api.ts'
import { Empty, Loading, Notice, PartProblem, Problem } from '../components/feedback.ts'
import { Input, Select } from '../components/fields.ts'
import { Button, Page, Panel } from '../components/page.ts'
import { Tabs } from '../components/tabs.ts'
import { useData } from '../data.ts'
import { html } from '../html.ts'
import { hrefOf, useParameters } from '../place.ts'
import { useSession } from '../session.ts'
import type { Model } from './models/catalog.ts'
import { Decisions } from './playground/decisions.ts'
import { Responses } from './playground/responses.ts'

const defaultModel = 'sandbox/echo'
const defaultDecisionModel = 'sandbox/dm'

interface Key {
  readonly id: string
  readonly name: string
  readonly disabled: boolean
}

/** Requests as a key, through the admin API. */
export default function Playground(): VNode {
  const [parameters, set] = useParameters()
  const { may } = useSession()
  const { data, error, reload } = useData<ListOf<Key>>('/keys', undefined, { all: true })
  const models = useData<ListOf<Model>>(may('viewer', 'all') ? '/models' : undefined, {}, { all: true })
  const surface = parameters['do'] === 'decide' ? 'decide' : 'respond'
  const model = parameters['model'] ?? defaultModel
  // A key that is named may be older than those of the list.
  const wanted = parameters['key']
  const isListed = data?.data.some(({ id }) => id === wanted) ?? true
  const named = useData<Key>(wanted !== undefined && !isListed ? `/keys/${encodeURIComponent(wanted)}` : undefined)
  const keys = [...(data?.data ?? []), ...(named.data ? [named.data] : [])]
  const enabled = keys.filter(each => !each.disabled)
  // Never another key than the one that is named.
  const key = wanted === undefined ? enabled[0] : enabled.find(({ id }) => id === wanted)
  const disabled = keys.find(({ id, disabled: isDisabled }) => id === wanted && isDisabled)
  const names = (models.data?.data ?? []).filter(({ endpoints }) => endpoints.some(({ kind }) => kind === 'generation')).map(({ id }) => id)
  return html`<${Page}
    title="Playground"
    intro="Send a request as one of your keys. It is recorded, counted and charged like any other."
    actions=${
      enabled.length > 0 &&
      html`<div class="filters">
        ${surface === 'respond' && html`<${Input} label="Model" value=${model} list=${['auto', ...names]} onChange=${(value: string) => set({ model: value }, { replace: true })} />`}
        <${Select}
          label="As the key"
          value=${key?.id ?? ''}
          choices=${[...(key ? [] : [{ value: '', label: 'Choose one' }]), ...enabled.map(({ id, name }) => ({ value: id, label: name }))]}
          onChange=${(value: string) => set({ key: value })}
        />
      </div>`
    }
  >
    ${error && html`<${Problem} error=${error} retry=${reload} />`} ${named.error && html`<${Problem} error=${named.error} />`}
    ${!data && !error && html`<${Loading} />`}
    <${PartProblem} title="The list of models could not be loaded. You can still type a name." of=${models} />
    ${disabled && html`<${Notice} tone="warn" title=${`The key “${disabled.name}” is disabled.`}>Enable it on the page Keys, or choose another one.<//>`}
    ${
      data &&
      enabled.length === 0 &&
      !disabled &&
      html`<${Panel}>
        <${Empty}
          title="No key to try it with"
          action=${may('editor') && html`<${Button} tone="primary" href=${hrefOf('keys')}>Create a key<//>`}
        >
          Requests run as a key, with all its rules.
        <//>
      <//>`
    }
    ${
      key &&
      html`<${Tabs}
        label="What to try"
        tabs=${[
          { id: 'respond', title: 'Response' },
          { id: 'decide', title: 'Decision' },
        ]}
        current=${surface}
        onSelect=${(id: string) => set({ do: id === 'decide' ? id : undefined })}
      >
        ${
          surface === 'respond'
            ? html`<${Responses} playAs=${key.id} model=${model} />`
            : html`<${Decisions} playAs=${key.id} model=${defaultDecisionModel} />`
        }
      <//>`
    }
  <//>`
}
