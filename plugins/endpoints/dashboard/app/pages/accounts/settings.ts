import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Notice } from '../../components/feedback.ts'
import { changedBody, valuesOf, type FormValues } from '../../components/field-values.ts'
import { Select, Switch, TextField } from '../../components/fields.ts'
import { Form, useForm, type FormState } from '../../components/form.ts'
import { MetadataField } from '../../components/metadata-field.ts'
import { MoreFields } from '../../components/more-fields.ts'
import { RedactionSettings } from '../../components/redaction-settings.ts'
import { SpendFields } from '../../components/spend-fields.ts'
import { useData } from '../../data.ts'
import { accountFields, accountFieldsAt } from '../../fields.ts'
import { html } from '../../html.ts'
import {
  changedFields,
  levelNames,
  locksOf,
  policyFields,
  policyTexts,
  type Locks,
  type PolicyField,
  type PolicyLayer,
} from '../../policy.ts'
import { useSession } from '../../session.ts'
import { pathOf, words, type Account, type AccountLevel } from './account.ts'

type Values = FormValues<typeof accountFields>

/** The settings below. */
const placed: readonly (keyof typeof accountFields)[] = ['name', 'team', 'policy', 'spendCapUsd', 'spendPeriod', 'metadata']

/** The policy that an account enforces, and the spend cap of the keys below it. */
export function AccountSettings({
  path,
  level,
  account,
  onSaved,
}: {
  readonly path: string
  readonly level: AccountLevel
  readonly account: Account
  readonly onSaved: () => void
}): VNode {
  const { may, org: ownOrg } = useSession()
  const form = useForm<Values>(valuesOf(accountFields, account))
  const [isSaved, setSaved] = useState(false)
  const { org: orgId, team: teamId } = account
  const org = useData<Account>(level === 'org' ? undefined : pathOf('org', orgId!, undefined))
  const team = useData<Account>(level === 'user' && teamId ? pathOf('team', teamId, orgId) : undefined)
  const above = locksOf([
    { level: 'org', policy: org.data?.policy },
    { level: 'team', policy: team.data?.policy },
  ])
  const isCapFixed = level === 'org' && ownOrg !== null
  const save = async (values: Values): Promise<void> => {
    const policy = changedFields(form.start.policy, values.policy)
    const saved = await api.patch<Account>(path, { ...changedBody(accountFields, form.start, values), ...(policy && { policy }) })
    form.reset(valuesOf(accountFields, saved))
    setSaved(true)
    onSaved()
  }
  return html`<${Form} form=${form} action="Save changes" disabled=${!form.isChanged} isReadOnly=${!may('editor')} onSubmit=${save}>
    ${!may('editor') && html`<${Notice}>Your role is read-only. An editor can change these settings.<//>`}
    <div class="form-row">
      <${TextField} form=${form} name="name" label="Name" required />
      ${level === 'user' && html`<${TextField} form=${form} name="team" label="Team" hint="All keys of the user move, too." />`}
    </div>
    <section class="form-group" aria-label="Policy">
      <div>
        <h2>Policy</h2>
        <p class="hint">
          ${`What the ${words[level].one} enforces is locked on all keys below it. When it is released, each key has its own value again.`}
        </p>
      </div>
      ${policyFields.map(
        field =>
          html`<${Enforce}
            key=${field}
            form=${form}
            field=${field}
            above=${above[field]}
            isFixed=${ownOrg !== null && account.policy_set_by[field] === 'all'}
          />`,
      )}
    </section>
    <section class="form-group" aria-label="Spend">
      <h2>Spend</h2>
      <${SpendFields}
        form=${form}
        disabled=${isCapFixed}
        hint=${isCapFixed ? 'An admin of the whole gateway sets it.' : 'For all keys below together. Once it is reached, requests get a 402.'}
      />
    </section>
    <${MoreFields} form=${form} list=${accountFieldsAt(level)} placed=${placed} />
    <section class="form-group" aria-label="Metadata"><${MetadataField} form=${form} /></section>
    ${isSaved && !form.isChanged && html`<${Notice} tone="good">The changes are saved. They apply to the next request.<//>`}
  <//>`
}

function Enforce({
  form,
  field,
  above,
  isFixed,
}: {
  readonly form: FormState<Values>
  readonly field: PolicyField
  readonly above: Locks[PolicyField]
  /** Only a token for all organizations may change it. */
  readonly isFixed: boolean
}): VNode {
  const { name, effect } = policyTexts[field]
  const setting = form.values.policy[field]
  const isEnforced = setting?.enforced ?? false
  const set = (next: PolicyLayer[PolicyField]): void => {
    const { [field]: _, ...others } = form.values.policy
    form.set('policy', next === undefined ? others : { ...others, [field]: next })
  }
  return html`<div class="stack">
    <div class="enforce">
      <${Switch}
        label=${html`Enforce ${name.replace(/^[A-Z](?=[a-z])/, first => first.toLowerCase())} <code class="muted">${field}</code>`}
        hint=${above ? `The ${levelNames[above.level]} enforces it: ${above.value ? 'on' : 'off'}. So what is set here has no effect.` : effect}
        checked=${isEnforced}
        locked=${isFixed && 'An admin of the whole gateway set it.'}
        onChange=${(enforced: boolean) => set(enforced ? { value: true, ...setting, enforced: true } : undefined)}
      />
      ${
        isEnforced &&
        html`<${Select}
          label=${html`<span class="hidden">${name} </span>On all keys below`}
          value=${setting?.value ? 'on' : 'off'}
          disabled=${isFixed}
          choices=${[
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
          ]}
          onChange=${(value: string) => set({ ...setting, value: value === 'on', enforced: true })}
        />`
      }
    </div>
    ${
      field === 'redaction' &&
      isEnforced &&
      setting?.value &&
      html`<${RedactionSettings}
        value=${setting.settings}
        disabled=${isFixed}
        error=${form.errorOf('policy.redaction')}
        onChange=${(settings: Readonly<Record<string, unknown>> | undefined) => set({ value: true, enforced: true, ...(settings && { settings }) })}
      />`
    }
  </div>`
}
