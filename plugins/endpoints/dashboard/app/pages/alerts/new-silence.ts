import type { VNode } from 'preact'
import { api } from '../../api.ts'
import { Dialog } from '../../components/dialog.ts'
import { SelectField, TextField, TimeField } from '../../components/fields.ts'
import { Form, useForm } from '../../components/form.ts'
import { html } from '../../html.ts'
import { useSession } from '../../session.ts'
import { kindNames, type Alert } from './alert.ts'

const hourMs = 3_600_000
const lengths: Readonly<Record<string, number>> = { '1h': hourMs, '4h': 4 * hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs }
const lengthChoices = [
  { value: '1h', label: 'One hour' },
  { value: '4h', label: 'Four hours' },
  { value: '24h', label: 'One day' },
  { value: '7d', label: 'Seven days' },
  { value: 'until', label: 'Until a time' },
]

interface Values {
  readonly kind: string
  readonly subject: string
  readonly org: string
  readonly length: string
  readonly until: string | null
  readonly note: string
}

/** Keeps alerts like this one, or any, from being delivered for a while. */
export function NewSilence({
  alert,
  onCreated,
  onClose,
}: {
  readonly alert?: Alert
  readonly onCreated: () => void
  readonly onClose: () => void
}): VNode {
  const { org: ownOrg } = useSession()
  const form = useForm<Values>({
    kind: alert?.kind ?? '',
    subject: alert?.subject ?? '',
    org: ownOrg ?? alert?.org ?? '',
    length: '1h',
    until: null,
    note: '',
  })
  const { kind, subject, org, length } = form.values
  return html`<${Dialog} title="Silence alerts" onClose=${onClose}>
    <p>
      ${
        ownOrg === null
          ? 'Nobody is told of alerts that match, until the time ends. They are still listed here.'
          : 'The targets of the organization are not told of alerts that match, until the time ends. The operator of the gateway still is.'
      }
    </p>
    <${Form}
      form=${form}
      action="Silence"
      isFleeting
      disabled=${kind === '' && subject === '' && org === ''}
      onCancel=${onClose}
      onSubmit=${async (values: Values) => {
        await api.post('/silences', bodyOf(values))
        onCreated()
      }}
    >
      <${SelectField}
        form=${form}
        name="kind"
        label="Kind"
        choices=${[{ value: '', label: 'Any' }, ...Object.entries(kindNames).map(([value, label]) => ({ value, label }))]}
      />
      <${TextField}
        form=${form}
        name="subject"
        label="Subject"
        placeholder="Any"
        hint="Exactly as alerts have it, such as provider:openai."
      />
      <${TextField} form=${form} name="org" label="Organization" placeholder="Any" disabled=${ownOrg !== null} />
      <${SelectField} form=${form} name="length" label="For how long" required choices=${lengthChoices} />
      ${length === 'until' && html`<${TimeField} form=${form} name="until" label="Until" required hint="At most a year from now." />`}
      <${TextField} form=${form} name="note" label="Note" placeholder="Planned maintenance" />
    <//>
  <//>`
}

function bodyOf({ kind, subject, org, length, until, note }: Values): Readonly<Record<string, unknown>> {
  const end = lengths[length] === undefined ? until : new Date(Date.now() + lengths[length]).toISOString()
  return { until: end, ...(kind && { kind }), ...(subject && { subject }), ...(org && { org }), ...(note && { note }) }
}
