import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Code } from '../../components/copy.ts'
import { Confirm } from '../../components/dialog.ts'
import { DailyUse } from '../../components/daily-use.ts'
import { Badge, Loading, Meter, Notice, Problem, Stat } from '../../components/feedback.ts'
import { changedBody, valuesOf } from '../../components/field-values.ts'
import { TextField } from '../../components/fields.ts'
import { Form, useForm } from '../../components/form.ts'
import { Icon } from '../../components/icon.ts'
import { Button, Page, Panel } from '../../components/page.ts'
import { Time } from '../../components/time.ts'
import { useData } from '../../data.ts'
import { keyFields } from '../../fields.ts'
import { count, usd } from '../../format.ts'
import { html } from '../../html.ts'
import { go, hrefOf, useParameters } from '../../place.ts'
import { changedFields, levelNames, policyFields, policyTexts, type EffectivePolicy, type Locks } from '../../policy.ts'
import { useSession } from '../../session.ts'
import { KeyFields, type KeyValues } from './key-form.ts'
import { ShownText } from './key-text.ts'
import { statusOf, type Key, type ShownKey } from './key.ts'
import { statusTones } from './list.ts'
import { Rotate } from './rotate.ts'

/** The list from which the key was opened. */
function useAbove(): { readonly title: string; readonly href: string } {
  const [{ org, team, user, cursor }] = useParameters()
  return { title: 'Keys', href: hrefOf('keys', { org, team, user, cursor }) }
}

export function KeyDetail({ id }: { readonly id: string }): VNode {
  const path = `/keys/${encodeURIComponent(id)}`
  const above = useAbove()
  const key = useData<Key>(path)
  const policy = useData<EffectivePolicy>(`${path}/policy`)
  const reload = (): void => {
    key.reload()
    policy.reload()
  }
  const failed = key.error ?? policy.error
  if (failed && !(key.data && policy.data))
    return html`<${Page} title="Key" above=${above}><${Problem} error=${failed} retry=${reload} back=${above} /><//>`
  if (!key.data || !policy.data) return html`<${Loading} />`
  return html`<${Loaded} path=${path} data=${key.data} policy=${policy.data} reload=${reload} />`
}

type Question = 'rotate' | 'disable' | 'delete'

function Loaded({
  path,
  data,
  policy,
  reload,
}: {
  readonly path: string
  readonly data: Key
  readonly policy: EffectivePolicy
  readonly reload: () => void
}): VNode {
  const { may } = useSession()
  const above = useAbove()
  const [asking, setAsking] = useState<Question>()
  const [rotated, setRotated] = useState<ShownKey>()
  const [failure, setFailure] = useState<unknown>()
  const close = (): void => setAsking(undefined)
  const setDisabled = async (disabled: boolean): Promise<void> => {
    await api.patch(path, { disabled })
    close()
    reload()
  }
  const enable = (): void => {
    setFailure(undefined)
    setDisabled(false).catch(setFailure)
  }
  const actions = html`
    <${Button} href=${hrefOf('logs', { key: data.id })}>Requests<//>
    ${
      may('editor') &&
      html`
        <${Button} href=${hrefOf('playground', { key: data.id })}>Playground<//>
        <${Button} onClick=${() => setAsking('rotate')}>Rotate<//>
        ${data.disabled ? html`<${Button} onClick=${enable}>Enable<//>` : html`<${Button} onClick=${() => setAsking('disable')}>Disable<//>`}
        <${Button} tone="danger" onClick=${() => setAsking('delete')}>Delete<//>
      `
    }
  `
  return html`<${Page} title=${data.name} above=${above} intro=${html`<${Code} text=${data.id} what="id of the key" />`} actions=${actions}>
    ${failure !== undefined && html`<${Problem} error=${failure} />`} ${rotated && html`<${ShownText} shown=${rotated} />`}
    ${
      data.previous_valid_until &&
      Date.parse(data.previous_valid_until) > Date.now() &&
      html`<${Notice}>The secret from before the rotation works until <${Time} at=${data.previous_valid_until} />.<//>`
    }
    <${Facts} data=${data} />
    <div class="with-aside">
      <${Panel} title="Settings"><${Edit} path=${path} data=${data} policy=${policy} onSaved=${reload} /><//>
      <div class="stack">
        <${Panel} title="Effective policy"><${Effective} policy=${policy} /><//>
        <${Panel} title="Use"><${DailyUse} filter=${{ key: data.id }} /><//>
        <${Panel} title="Belongs to"><${Owners} data=${data} /><//>
      </div>
    </div>
    ${
      asking === 'rotate' &&
      html`<${Rotate}
        path=${path}
        name=${data.name}
        onClose=${close}
        onRotated=${(shown: ShownKey) => {
          close()
          setRotated(shown)
          reload()
        }}
      />`
    }
    ${
      asking === 'disable' &&
      html`<${Confirm} title=${`Disable ${data.name}?`} action="Disable" onClose=${close} onConfirm=${() => setDisabled(true)}>
        Requests with this key get a 401. You can enable it again.
      <//>`
    }
    ${
      asking === 'delete' &&
      html`<${Confirm}
        title=${`Delete ${data.name}?`}
        action="Delete"
        onClose=${close}
        onConfirm=${async () => {
          await api.delete(path)
          go(above.href)
        }}
      >
        Requests with this key get a 401. This cannot be undone. Its requests stay in the logs.
      <//>`
    }
  <//>`
}

function Facts({ data }: { readonly data: Key }): VNode {
  const { spend_cap_usd: cap, spend_period: period, spent_usd: spent, held_usd: held, left_usd: left, max_concurrency: most } = data
  const status = statusOf(data)
  const note =
    cap === null
      ? 'no cap'
      : html`<${Meter} label="Spent, in US dollars" value=${spent} most=${cap} text=${`of ${usd(cap)}${period ? ` a ${period}` : ''}`} />`
  return html`<div class="stats">
    <${Stat}
      label="Status"
      isText
      value=${html`<${Badge} tone=${statusTones[status]}>${status}<//>`}
      note=${data.expires_at && html`expires <${Time} at=${data.expires_at} relative />`}
    />
    <${Stat} label="Spent" value=${usd(spent)} note=${note} />
    ${cap !== null && html`<${Stat} label="Left" value=${usd(left)} note=${`${usd(held)} held by requests under way`} />`}
    <${Stat} label="Last used" isText value=${data.last_used_at ? html`<${Time} at=${data.last_used_at} relative />` : 'never'} />
    <${Stat}
      label="Created"
      isText
      value=${html`<${Time} at=${data.created_at} />`}
      note=${most === null ? undefined : `${count(most)} requests at once`}
    />
  </div>`
}

function Edit({
  path,
  data,
  policy,
  onSaved,
}: {
  readonly path: string
  readonly data: Key
  readonly policy: EffectivePolicy
  readonly onSaved: () => void
}): VNode {
  const { may } = useSession()
  const form = useForm<KeyValues>(valuesOf(keyFields, data))
  const [isSaved, setSaved] = useState(false)
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const locks = Object.fromEntries(
    policyFields.flatMap(field => {
      const { locked_by: level, value } = policy[field]
      return level === null ? [] : [[field, { level, value }]]
    }),
  ) as Locks
  const save = async (values: KeyValues): Promise<void> => {
    setSaved(false)
    const changed = changedBody(keyFields, form.start, values)
    const policy = changedFields(form.start.policy, values.policy)
    const saved = await api.patch<Key>(path, { ...changed, ...(policy && { policy }) })
    form.reset(valuesOf(keyFields, saved))
    setWarnings(saved.warnings ?? [])
    setSaved(true)
    onSaved()
  }
  return html`<${Form} form=${form} action="Save changes" disabled=${!form.isChanged} isReadOnly=${!may('editor')} onSubmit=${save}>
    ${!may('editor') && html`<${Notice}>Your role is read-only. An editor can change this key.<//>`}
    <${TextField} form=${form} name="name" label="Name" required />
    <${KeyFields} form=${form} locks=${locks} />
    ${isSaved && !form.isChanged && html`<${Notice} tone="good">The changes are saved. They apply to the next request.<//>`}
    ${warnings.map(warning => html`<${Notice} tone="warn">${warning}<//>`)}
  <//>`
}

/** The policy that applies to the key's requests, and the level that sets each field. */
function Effective({ policy }: { readonly policy: EffectivePolicy }): VNode {
  return html`<dl class="effective">
    ${policyFields.map(field => {
      const { value, policy_source: source, locked_by: lock } = policy[field]
      return html`<div key=${field}>
        <dt>${policyTexts[field].name}</dt>
        <dd>
          <${Badge} tone=${value ? 'accent' : 'neutral'}>${value ? 'on' : 'off'}<//>
          <span class="muted row"
            >${lock && html`<${Icon} name="lock" size=${13} />`}${lock ? 'enforced by the' : 'set by the'} ${levelNames[source]}</span
          >
        </dd>
      </div>`
    })}
  </dl>`
}

function Owners({ data: { org, team, user } }: { readonly data: Key }): VNode {
  return html`<dl class="facts">
    <dt>Organization</dt>
    <dd><a href=${hrefOf('accounts', { level: 'org', id: org })}>${org}</a></dd>
    ${
      team &&
      html`<dt>Team</dt>
        <dd><a href=${hrefOf('accounts', { level: 'team', id: team, org })}>${team}</a></dd>`
    }
    ${
      user &&
      html`<dt>User</dt>
        <dd><a href=${hrefOf('accounts', { level: 'user', id: user, org })}>${user}</a></dd>`
    }
  </dl>`
}
