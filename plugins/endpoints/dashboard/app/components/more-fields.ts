import type { VNode } from 'preact'
import { fieldsOf, shownName, type Field, type Fields } from '../fields.ts'
import { words } from '../format.ts'
import { html } from '../html.ts'
import { NumberField, SelectField, Switch, TextField, TimeField, type FieldForm } from './fields.ts'
import { ListField } from './list-field.ts'

/** The settings in a list that have no other place in the form: a control for each, by its type. Nothing if there are none. */
export function MoreFields({
  form,
  list,
  placed,
}: {
  readonly form: FieldForm
  readonly list: Fields
  /** The names of those that have a place. */
  readonly placed: readonly string[]
}): VNode | null {
  const others = Object.entries(fieldsOf(list, ({ set, type }, name) => set === 'always' && type !== 'json' && !placed.includes(name)))
  if (others.length === 0) return null
  return html`<section class="form-group" aria-label="More settings">
    <h2>More settings</h2>
    ${others.map(([name, field]) => html`<${Control} key=${name} form=${form} name=${name} field=${field} />`)}
  </section>`
}

function Control({ form, name, field }: { readonly form: FieldForm; readonly name: string; readonly field: Field }): VNode {
  const { type, choices, optional, about, schema = {} } = field
  const member = shownName(name, field)!
  const common = { form, name: member, label: words(name), hint: about, required: !optional }
  if (choices)
    return html`<${SelectField}
      ...${common}
      choices=${[...(optional ? [{ value: '', label: 'Not set' }] : []), ...choices.map(value => ({ value, label: words(value) }))]}
    />`
  switch (type) {
    case 'flag':
      return html`<${Switch}
        label=${common.label}
        hint=${about}
        checked=${form.values[member] === true}
        onChange=${(checked: boolean) => form.set(member, checked)}
      />`
    case 'names':
      return html`<${ListField} ...${common} />`
    case 'time':
      return html`<${TimeField} ...${common} />`
    case 'integer':
    case 'number':
      return html`<${NumberField} ...${common} min=${schema['minimum'] ?? 0} step=${type === 'integer' ? 1 : 'any'} />`
    default:
      return html`<${TextField} ...${common} />`
  }
}
