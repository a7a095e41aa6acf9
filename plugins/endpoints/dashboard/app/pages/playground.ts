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
import { AnySurface } from './playground/any-surface.ts'
import { Decisions } from './playground/decisions.ts'
import { Responses } from './playground/responses.ts'
import type { Trial } from './playground/trial.ts'

const defaultModels: Readonly<Record<string, string>> = {
  generation: 'sandbox/echo',
  decision: 'sandbox/dm',
  embedding: 'sandbox/embed',
  rerank: 'sandbox/rerank',
}

/** What has a form of its own, by the surfaces that it needs one of. */
const forms = [
  { id: 'respond', title: 'Response', surfaces: ['responses'] },
  { id: 'decide', title: 'Decision', surfaces: ['systemone', 'decisions'] },
]

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
  const trials = useData<{ readonly data: readonly Trial[] }>('/playground')
  const tabs = tabsOf(trials.data?.data)
  const asked = parameters['do']
  const surface = asked !== undefined && (!trials.data || tabs.some(({ id }) => id === asked)) ? asked : (tabs[0]?.id ?? 'respond')
  const trial = trials.data?.data.find(({ name }) => name === surface)
  const kind = trial?.kind ?? 'generation'
  const model = parameters['model'] ?? defaultModels[kind] ?? ''
  // A key that is named may be older than those of the list.
  const wanted = parameters['key']
  const isListed = data?.data.some(({ id }) => id === wanted) ?? true
  const named = useData<Key>(wanted !== undefined && !isListed ? `/keys/${encodeURIComponent(wanted)}` : undefined)
  const keys = [...(data?.data ?? []), ...(named.data ? [named.data] : [])]
  const enabled = keys.filter(each => !each.disabled)
  // Never another key than the one that is named.
  const key = wanted === undefined ? enabled[0] : enabled.find(({ id }) => id === wanted)
  const disabled = keys.find(({ id, disabled: isDisabled }) => id === wanted && isDisabled)
  const names = (models.data?.data ?? []).filter(({ endpoints }) => endpoints.some(each => each.kind === kind)).map(({ id }) => id)
  const kindOf = (id: string): string => trials.data?.data.find(({ name }) => name === id)?.kind ?? 'generation'
  return html`<${Page}
    title="Playground"
    intro="Send a request as one of your keys. It is recorded, counted and charged like any other."
    actions=${
      enabled.length > 0 &&
      html`<div class="filters">
        ${surface !== 'decide' && html`<${Input} label="Model" value=${model} list=${kind === 'generation' ? ['auto', ...names] : names} onChange=${(value: string) => set({ model: value }, { replace: true })} />`}
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
    <${PartProblem} title="The list of surfaces could not be loaded. Only some of them are shown." of=${trials} />
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
        tabs=${tabs}
        current=${surface}
        onSelect=${(id: string) => set({ do: id === 'respond' ? undefined : id, ...(kindOf(id) !== kind && { model: undefined }) })}
      >
        ${surface === 'respond' && html`<${Responses} playAs=${key.id} model=${model} />`}
        ${surface === 'decide' && html`<${Decisions} playAs=${key.id} model=${defaultModels['decision']!} />`}
        ${!trial && !forms.some(({ id }) => id === surface) && html`<${Loading} />`}
        ${trial && html`<${AnySurface} key=${trial.name} playAs=${key.id} model=${model} trial=${trial} />`}
      <//>`
    }
  <//>`
}

/** One for each form and for each other surface. While the list is not known, only the forms. */
function tabsOf(trials: readonly Trial[] | undefined): readonly { readonly id: string; readonly title: string }[] {
  if (!trials) return forms
  const own = forms.filter(({ surfaces }) => trials.some(({ name }) => surfaces.includes(name)))
  const others = trials.filter(({ name }) => !forms.some(({ surfaces }) => surfaces.includes(name)))
  return [...own, ...others.map(({ name, title }) => ({ id: name, title }))]
}
