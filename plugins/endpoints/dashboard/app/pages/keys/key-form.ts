import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ListOf } from '../../api.ts'
import { valuesOf, type FormValues } from '../../components/field-values.ts'
import { NumberField, Switch, TimeField } from '../../components/fields.ts'
import type { FormState } from '../../components/form.ts'
import { ListField } from '../../components/list-field.ts'
import { MetadataField } from '../../components/metadata-field.ts'
import { MoreFields } from '../../components/more-fields.ts'
import { RedactionSettings } from '../../components/redaction-settings.ts'
import { RowsField } from '../../components/rows-field.ts'
import { SpendFields } from '../../components/spend-fields.ts'
import { useData } from '../../data.ts'
import { keyFields } from '../../fields.ts'
import { html } from '../../html.ts'
import { levelNames, policyFields, policyTexts, type Locks, type PolicyField, type PolicyLayer } from '../../policy.ts'
import { useSession } from '../../session.ts'
import type { Limit } from './key.ts'

export type KeyValues = FormValues<typeof keyFields>

export const newKeyValues: KeyValues = { ...valuesOf(keyFields, {}), policy: {} }

/** The settings below, and those that the pages of a key show elsewhere. */
const placed: readonly (keyof typeof keyFields)[] = [
  'name',
  'policy',
  'models',
  'providers',
  'guardrails',
  'allowUnpriced',
  'spendCapUsd',
  'spendPeriod',
  'limits',
  'maxConcurrency',
  'expiresAt',
  'disabled',
  'metadata',
]

/** Every setting of a key. `locks`: what levels above it decide. */
export function KeyFields({ form, locks }: { readonly form: FormState<KeyValues>; readonly locks: Locks }): VNode {
  const { may } = useSession()
  const providers = useData<ListOf<{ readonly id: string }>>(may('viewer', 'all') ? '/providers' : undefined, { limit: 100 })
  const plugins = useData<ListOf<PluginFacts>>(may('viewer', 'all') ? '/plugins' : undefined, { limit: 100 })
  const guardrails = plugins.data?.data.flatMap(({ contributions }) =>
    contributions.filter(({ point }) => point === 'guardrail').map(({ name }) => name),
  )
  return html`
    <section class="form-group" aria-label="Policy">
      <div>
        <h2>Policy</h2>
        <p class="hint">If a level above the key enforces a field, it is locked here.</p>
      </div>
      ${policyFields.map(field => html`<${PolicySwitch} key=${field} form=${form} field=${field} lock=${locks[field]} />`)}
    </section>
    <section class="form-group" aria-label="Models and providers">
      <h2>Models and providers</h2>
      <div class="form-row">
        <${ListField}
          form=${form}
          name="models"
          label="Models"
          placeholder="All models"
          hint=${html`Names, aliases, <code>provider/model</code>, and patterns with <code>*</code>. Enter adds one.`}
        />
        <${ListField}
          form=${form}
          name="providers"
          label="Providers"
          placeholder="All providers"
          suggestions=${providers.data?.data.map(({ id }) => id) ?? []}
          hint=${html`Ids, and patterns with <code>*</code>.`}
        />
      </div>
      <${ListField}
        form=${form}
        name="guardrails"
        label="Guardrails"
        placeholder="Only those that always apply"
        suggestions=${guardrails ?? []}
        hint="Guardrails to apply besides those that always apply."
      />
    </section>
    <section class="form-group" aria-label="Spend">
      <h2>Spend</h2>
      <${SpendFields} form=${form} hint="Once it is reached, requests get a 402." />
      <${Switch}
        label="Allow models without a known price"
        hint="Otherwise, a cap or credit rules such models out."
        checked=${form.values.allow_unpriced}
        onChange=${(checked: boolean) => form.set('allow_unpriced', checked)}
      />
    </section>
    <section class="form-group" aria-label="Limits">
      <h2>Limits</h2>
      <${RowsField}
        form=${form}
        name="limits"
        label="Rate limits"
        noun="limit"
        empty=${{ requests: 60, window_s: 60 }}
        row=${(limit: Limit, change: (limit: Limit) => void, position: number) =>
          html`<${LimitRow} limit=${limit} change=${change} position=${position} />`}
        hint="The most requests, or tokens, in each window. An exact limit is refused while the gateway's processes cannot count together."
      />
      <div class="form-row">
        <${NumberField} form=${form} name="max_concurrency" label="Requests at once" min=${1} step=${1} placeholder="No limit" />
        <${TimeField} form=${form} name="expires_at" label="Expires" hint="The key stops working at this time, in your time zone." />
      </div>
    </section>
    <${MoreFields} form=${form} list=${keyFields} placed=${placed} />
    <section class="form-group" aria-label="Metadata"><${MetadataField} form=${form} /></section>
  `
}

interface PluginFacts {
  readonly contributions: readonly { readonly point: string; readonly name: string }[]
}

function PolicySwitch({
  form,
  field,
  lock,
}: {
  readonly form: FormState<KeyValues>
  readonly field: PolicyField
  readonly lock: Locks[PolicyField]
}): VNode {
  const { name, effect } = policyTexts[field]
  const setting = form.values.policy[field]
  const isOn = lock ? lock.value : (setting?.value ?? false)
  const set = (change: PolicyLayer): void => form.set('policy', { ...form.values.policy, ...change })
  return html`<div class="stack">
    <${Switch}
      label=${html`${name} <code class="muted">${field}</code>`}
      hint=${effect}
      checked=${isOn}
      locked=${lock && `Enforced ${lock.value ? 'on' : 'off'} by the ${levelNames[lock.level]}`}
      onChange=${(value: boolean) => set({ [field]: { ...setting, value } })}
    />
    ${
      field === 'redaction' &&
      isOn &&
      !lock &&
      html`<${RedactionSettings}
        value=${setting?.settings}
        error=${form.errorOf('policy.redaction')}
        onChange=${(settings: PolicyLayer['redaction']) => set({ redaction: { value: true, ...(settings && { settings: settings as never }) } })}
      />`
    }
    ${field !== 'redaction' && form.errorOf(`policy.${field}`) && html`<p class="field-error">${form.errorOf(`policy.${field}`)}</p>`}
  </div>`
}

const units = [
  [1, 'seconds'],
  [60, 'minutes'],
  [3600, 'hours'],
  [86_400, 'days'],
] as const

type Changed<T> = Event & { readonly currentTarget: T }

function LimitRow({
  limit,
  change,
  position,
}: {
  readonly limit: Limit
  readonly change: (limit: Limit) => void
  readonly position: number
}): VNode {
  const kind = limit.tokens === undefined ? 'requests' : 'tokens'
  // The unit stays while somebody types: 60 on the way to 605 seconds is no minute.
  const [unit, setUnit] = useState(() => sizeFor(limit))
  const size = limit.window_s % unit === 0 ? unit : sizeFor(limit)
  const most = limit.tokens ?? limit.requests ?? 0
  const window = { window_s: limit.window_s, ...(limit.exact && { exact: true }) }
  const of = (name: string): string => `${name} of limit ${position + 1}`
  return html`
    <input
      type="number"
      min="1"
      step="1"
      required
      aria-label=${of('Amount')}
      value=${most}
      onInput=${({ currentTarget: { value } }: Changed<HTMLInputElement>) => change({ [kind]: Number(value), ...window })}
    />
    <select
      aria-label=${of('Unit')}
      value=${kind}
      onChange=${({ currentTarget: { value } }: Changed<HTMLSelectElement>) => change({ [value]: most, ...window })}
    >
      <option value="requests">requests</option>
      <option value="tokens">tokens</option>
    </select>
    <span class="muted">per</span>
    <input
      type="number"
      min="1"
      step="1"
      required
      aria-label=${of('Window')}
      value=${limit.window_s / size}
      onInput=${({ currentTarget: { value } }: Changed<HTMLInputElement>) => change({ ...limit, window_s: Number(value) * size })}
    />
    <select
      aria-label=${of('Unit of the window')}
      value=${String(size)}
      onChange=${({ currentTarget: { value } }: Changed<HTMLSelectElement>) => {
        setUnit(Number(value))
        change({ ...limit, window_s: (limit.window_s / size) * Number(value) })
      }}
    >
      ${units.map(([seconds, name]) => html`<option value=${String(seconds)}>${name}</option>`)}
    </select>
    <label title="Refuse requests while the gateway's processes cannot count together">
      <input
        type="checkbox"
        aria-label=${of('Exactness')}
        checked=${limit.exact === true}
        onChange=${({ currentTarget: { checked } }: Changed<HTMLInputElement>) => {
          const { exact: _, ...rest } = limit
          change(checked ? { ...rest, exact: true } : rest)
        }}
      />
      exact
    </label>
  `
}

/** The longest unit of which the window is a whole number. */
function sizeFor({ window_s: seconds }: Limit): number {
  return (units.findLast(([size]) => seconds % size === 0) ?? units[0])[0]
}
