import type { VNode } from 'preact'
import { html } from '../html.ts'
import { NumberField, SelectField, type FieldProps } from './fields.ts'

const periods = [
  { value: '', label: 'For all time' },
  { value: 'day', label: 'Each day' },
  { value: 'week', label: 'Each week' },
  { value: 'month', label: 'Each month' },
]

/** A spend cap and its period, of a key or an account. */
export function SpendFields({ form, disabled, hint }: Pick<FieldProps, 'form' | 'disabled' | 'hint'>): VNode {
  return html`<div class="form-row">
    <${NumberField} form=${form} name="spend_cap_usd" label="Cap" unit="USD" placeholder="No cap" disabled=${disabled} hint=${hint} />
    <${SelectField}
      form=${form}
      name="spend_period"
      label="Period"
      disabled=${disabled}
      choices=${periods}
      hint="Days in UTC. Weeks start on Monday."
    />
  </div>`
}
