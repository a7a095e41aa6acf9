import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import { localInput } from '../format.ts'
import { html, type Children } from '../html.ts'
import type { FormState } from './form.ts'
import { Icon } from './icon.ts'

/** The part of a form that a field needs. Templates pass it, so its members are known only at run time. */
export interface FieldForm extends Pick<FormState<object>, 'errorOf'> {
  readonly values: Readonly<Record<string, unknown>>
  set(name: string, value: unknown): void
}

export interface FieldProps {
  readonly form: FieldForm
  /** The member of the form's values, called as in the API, so that its errors find their field. */
  readonly name: string
  readonly label: string
  /** A sentence below the field. */
  readonly hint?: Children
  readonly required?: boolean
  readonly disabled?: boolean
  readonly placeholder?: string
}

interface Described {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
  readonly disabled: boolean | undefined
  readonly required: boolean | undefined
}

/** A label, a control, a hint, and what was wrong. */
function Field({
  form,
  name,
  label,
  hint,
  required,
  disabled,
  control,
}: FieldProps & { readonly control: (attributes: Described) => Children }): VNode {
  const id = useId()
  const error = form.errorOf(name)
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return html`<div class=${error ? 'field invalid' : 'field'}>
    <label for=${id}>${label}${!required && html` <span class="optional">optional</span>`}</label>
    ${control({ id, 'aria-describedby': described, 'aria-invalid': error !== undefined, disabled, required })}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${error && html`<p class="field-error" id=${`${id}-error`}>${error}</p>`}
  </div>`
}

type InputEvent = Event & { readonly currentTarget: HTMLInputElement & HTMLTextAreaElement & HTMLSelectElement }

export interface TextFieldProps extends FieldProps {
  readonly type?: 'text' | 'password' | 'search'
  readonly autocomplete?: string
  /** Values to offer. */
  readonly suggestions?: readonly string[]
}

export function TextField({ suggestions = [], ...props }: TextFieldProps): VNode {
  const { form, name, placeholder, type = 'text', autocomplete = 'off' } = props
  return html`<${Field}
    ...${props}
    control=${(attributes: Described) =>
      html`<input
          ...${attributes}
          type=${type}
          autocomplete=${autocomplete}
          placeholder=${placeholder}
          list=${suggestions.length > 0 ? `${attributes.id}-list` : undefined}
          value=${form.values[name] ?? ''}
          onInput=${(event: InputEvent) => form.set(name, event.currentTarget.value)}
        />
        ${
          suggestions.length > 0 &&
          html`<datalist id=${`${attributes.id}-list`}>${suggestions.map(each => html`<option value=${each} />`)}</datalist>`
        }`}
  />`
}

/** The value is a number, or null for an empty field. */
export function NumberField(props: FieldProps & { readonly unit?: string; readonly min?: number; readonly step?: number | 'any' }): VNode {
  const { form, name, placeholder, unit, min = 0, step = 'any' } = props
  return html`<${Field}
    ...${props}
    control=${(attributes: Described) =>
      html`<span class="with-unit">
        <input
          ...${attributes}
          type="number"
          inputmode="decimal"
          min=${min}
          step=${step}
          placeholder=${placeholder}
          value=${form.values[name] ?? ''}
          onInput=${({ currentTarget: { value } }: InputEvent) => form.set(name, value === '' ? null : Number(value))}
        />
        ${unit && html`<span class="unit">${unit}</span>`}
      </span>`}
  />`
}

export interface Choice {
  readonly value: string
  readonly label: string
}

export function SelectField(props: FieldProps & { readonly choices: readonly Choice[] }): VNode {
  const { form, name, choices } = props
  return html`<${Field}
    ...${props}
    control=${(attributes: Described) =>
      html`<select
        ...${attributes}
        value=${form.values[name] ?? ''}
        onChange=${(event: InputEvent) => form.set(name, event.currentTarget.value)}
      >
        ${choices.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}
      </select>`}
  />`
}

export function TextAreaField(props: FieldProps & { readonly rows?: number }): VNode {
  const { form, name, placeholder, rows = 4 } = props
  return html`<${Field}
    ...${props}
    control=${(attributes: Described) =>
      html`<textarea
      ...${attributes}
      rows=${rows}
      placeholder=${placeholder}
      spellcheck="false"
      value=${form.values[name] ?? ''}
      onInput=${(event: InputEvent) => form.set(name, event.currentTarget.value)}
    />`}
  />`
}

/** A time in the viewer's zone. The value is as in the API, or null. */
export function TimeField(props: FieldProps): VNode {
  const { form, name } = props
  return html`<${Field}
    ...${props}
    control=${(attributes: Described) =>
      html`<input
        ...${attributes}
        type="datetime-local"
        max="9999-12-31T23:59"
        value=${localInput(form.values[name] as string | null)}
        onInput=${({ currentTarget: { value } }: InputEvent) => form.set(name, value === '' ? null : new Date(value).toISOString())}
      />`}
  />`
}

/** On or off. `locked`: who decides it instead, and then it cannot be changed. */
export function Switch({
  label,
  hint,
  checked,
  disabled,
  locked,
  onChange,
}: {
  readonly label: Children
  readonly hint?: Children
  readonly checked: boolean
  readonly disabled?: boolean | undefined
  readonly locked?: Children
  readonly onChange: (checked: boolean) => void
}): VNode {
  const id = useId()
  const described = [hint && `${id}-hint`, locked && `${id}-lock`].filter(Boolean).join(' ') || undefined
  return html`<div class="switch-row">
    <input
      class="switch"
      type="checkbox"
      role="switch"
      id=${id}
      checked=${checked}
      disabled=${disabled || Boolean(locked)}
      aria-describedby=${described}
      onChange=${(event: InputEvent) => onChange(event.currentTarget.checked)}
    />
    <div>
      <label for=${id}>${label}</label>
      ${locked && html`<p class="lock" id=${`${id}-lock`}><${Icon} name="lock" size=${14} />${locked}</p>`}
      ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    </div>
  </div>`
}

/** A choice without a form, such as a filter. */
export function Select({
  label,
  value,
  choices,
  disabled,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly disabled?: boolean | undefined
  readonly onChange: (value: string) => void
}): VNode {
  const id = useId()
  return html`<span class="filter">
    <label for=${id}>${label}</label>
    <select id=${id} value=${value} disabled=${disabled} onChange=${(event: InputEvent) => onChange(event.currentTarget.value)}>
      ${choices.map(choice => html`<option value=${choice.value}>${choice.label}</option>`)}
    </select>
  </span>`
}

/** A text without a form, such as a filter. */
export function Input({
  label,
  value,
  placeholder,
  type = 'text',
  list,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly type?: string
  /** Values to offer. */
  readonly list?: readonly string[]
  /** Called with each character; dates and times are complete then. */
  readonly onChange: (value: string) => void
}): VNode {
  const id = useId()
  // The page may be drawn again while somebody types, as when data arrives, and would reset the field to its value.
  const [typed, setTyped] = useState<string>()
  const isDate = type === 'datetime-local'
  const keep = (event: InputEvent): void => {
    setTyped(event.currentTarget.value)
    if (!isDate) onChange(event.currentTarget.value.trim())
  }
  const finish = (event: InputEvent): void => {
    setTyped(undefined)
    if (isDate) onChange(event.currentTarget.value)
  }
  return html`<span class="filter">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type=${type}
      value=${typed ?? value}
      placeholder=${placeholder}
      list=${list && `${id}-list`}
      autocomplete="off"
      spellcheck="false"
      onInput=${keep}
      onChange=${finish}
      onBlur=${() => setTyped(undefined)}
    />
    ${list && html`<datalist id=${`${id}-list`}>${list.map(each => html`<option value=${each} />`)}</datalist>`}
  </span>`
}
