import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api, type ListOf } from '../../api.ts'
import { CodeBlock } from '../../components/copy.ts'
import { Dialog } from '../../components/dialog.ts'
import { Notice } from '../../components/feedback.ts'
import { SelectField, Switch, TextField } from '../../components/fields.ts'
import { Form, useForm } from '../../components/form.ts'
import { Button } from '../../components/page.ts'
import { useData } from '../../data.ts'
import { html } from '../../html.ts'
import { useSession } from '../../session.ts'
import { kindNames } from './alert.ts'
import { formats, severities, type Target } from './target.ts'

interface Values {
  readonly org: string
  readonly name: string
  readonly url: string
  readonly format: string
  readonly secret: string
  /** Empty: all. */
  readonly kinds: readonly string[]
  readonly min_severity: string
  readonly disabled: boolean
}

/** Makes a target, or changes one. What is secret is never shown again: an empty field leaves it as it is. */
export function TargetForm({
  target,
  onSaved,
  onClose,
}: {
  readonly target: Target | undefined
  readonly onSaved: () => void
  readonly onClose: () => void
}): VNode {
  const { org: ownOrg } = useSession()
  const [secret, setSecret] = useState<string>()
  const form = useForm<Values>({
    org: target?.org ?? ownOrg ?? '',
    name: target?.name ?? '',
    url: '',
    format: target?.format ?? 'json',
    secret: '',
    kinds: target?.kinds ?? [],
    min_severity: target?.min_severity ?? 'info',
    disabled: target?.disabled ?? false,
  })
  const isNew = target === undefined
  const orgs = useData<ListOf<{ readonly id: string }>>(isNew && ownOrg === null ? '/orgs' : undefined, undefined, { all: true })
  const submit = async (values: Values): Promise<void> => {
    const made = isNew
      ? await api.post<{ readonly secret?: string }>('/alert-targets', newBody(values))
      : await api.patch<{ readonly secret?: string }>(`/alert-targets/${encodeURIComponent(target.id)}`, changesOf(form.start, values))
    onSaved()
    if (isNew && made.secret !== undefined) setSecret(made.secret)
    else onClose()
  }
  if (secret !== undefined)
    return html`<${Dialog} title="The target is created" onClose=${onClose}>
      <${Notice} tone="warn" title="Copy the secret now.">It signs every message, and it cannot be shown again.<//>
      <${CodeBlock} text=${secret} label="Secret" />
      <div class="dialog-actions"><${Button} tone="primary" onClick=${onClose}>Done<//></div>
    <//>`
  return html`<${Dialog} title=${isNew ? 'New target' : `Change ${target.name}`} onClose=${onClose}>
    <${Form} form=${form} action=${isNew ? 'Create target' : 'Save changes'} onCancel=${onClose} onSubmit=${submit}>
      <${TextField} form=${form} name="name" label="Name" required placeholder="On call" />
      ${
        isNew &&
        html`<${TextField}
          form=${form}
          name="org"
          label="Organization"
          required
          disabled=${ownOrg !== null}
          suggestions=${orgs.data?.data.map(({ id }) => id) ?? []}
          hint="It gets alerts of this organization only. Targets for all are in the config."
        />`
      }
      <${SelectField} form=${form} name="format" label="Format" required choices=${formats} />
      <${TextField}
        form=${form}
        name="url"
        label="Address"
        required=${isNew}
        placeholder=${isNew ? 'https://…' : `ends in …${target.url_end ?? ''}, left as it is`}
        hint="Whoever knows it can write there, so it is sealed and never shown again."
      />
      <${TextField}
        form=${form}
        name="secret"
        label="Signing secret"
        placeholder=${secretPlaceholder(target, form.values.format)}
        hint="whsec_ and base64. To rotate it, send the new and the old one, separated by a comma."
      />
      <${Kinds}
        chosen=${form.values.kinds}
        error=${form.errorOf('kinds')}
        onChange=${(kinds: readonly string[]) => form.set('kinds', kinds)}
      />
      <${SelectField} form=${form} name="min_severity" label="Severity" required choices=${severities} />
      ${
        !isNew &&
        html`<${Switch}
          label="Disabled"
          hint="It gets nothing, and keeps its settings."
          checked=${form.values.disabled}
          onChange=${(checked: boolean) => form.set('disabled', checked)}
        />`
      }
    <//>
  <//>`
}

function Kinds({
  chosen,
  error,
  onChange,
}: {
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (kinds: readonly string[]) => void
}): VNode {
  return html`<fieldset class="checks">
    <legend class="label">Kinds <span class="optional">all, unless you choose some</span></legend>
    ${Object.entries(kindNames).map(
      ([kind, name]) =>
        html`<label key=${kind}>
          <input
            type="checkbox"
            checked=${chosen.includes(kind)}
            onChange=${() => onChange(chosen.includes(kind) ? chosen.filter(each => each !== kind) : [...chosen, kind])}
          />${name}
        </label>`,
    )}
    ${error && html`<p class="field-error">${error}</p>`}
  </fieldset>`
}

function secretPlaceholder(target: Target | undefined, format: string): string {
  if (target && target.secret_ends.length > 0) return `ends in …${target.secret_ends.join(' and …')}, left as it is`
  if (target) return 'not signed, left as it is'
  return format === 'json' ? 'a new one is made and shown once' : 'not signed'
}

function newBody({ org, name, url, format, secret, kinds, min_severity: least }: Values): object {
  return {
    org,
    name,
    url,
    format,
    min_severity: least,
    ...(kinds.length > 0 && { kinds }),
    ...(secret.trim() !== '' && { secret: secretsIn(secret) }),
  }
}

/** Only what differs, so that it undoes no change that somebody else made meanwhile. */
function changesOf(before: Values, after: Values): object {
  const plain = (['name', 'format', 'min_severity', 'disabled'] as const).filter(name => after[name] !== before[name])
  return {
    ...Object.fromEntries(plain.map(name => [name, after[name]])),
    ...(String(after.kinds) !== String(before.kinds) && { kinds: after.kinds.length > 0 ? after.kinds : null }),
    ...(after.url !== '' && { url: after.url }),
    ...(after.secret.trim() !== '' && { secret: secretsIn(after.secret) }),
  }
}

function secretsIn(text: string): string | readonly string[] {
  const secrets = text.split(',').map(each => each.trim())
  return secrets.length === 1 ? secrets[0]! : secrets.filter(each => each !== '')
}
