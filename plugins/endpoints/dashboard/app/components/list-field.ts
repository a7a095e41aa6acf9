import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import { html } from '../html.ts'
import type { FieldProps } from './fields.ts'
import { Icon } from './icon.ts'

/** Several texts. Enter or a comma adds what was typed; so does leaving the field. The value is an array. */
export function ListField({
  form,
  name,
  label,
  hint,
  disabled,
  placeholder,
  suggestions = [],
}: FieldProps & { readonly suggestions?: readonly string[] }): VNode {
  const id = useId()
  const [typed, setTyped] = useState('')
  const values: readonly string[] = (form.values[name] as readonly string[] | undefined) ?? []
  const error = form.errorOf(name)
  const add = (text: string): void => {
    const added = text
      .split(/[,\n]/)
      .map(each => each.trim())
      .filter(each => each !== '' && !values.includes(each))
    if (added.length > 0) form.set(name, [...values, ...new Set(added)])
    setTyped('')
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      // It never sends the form: whoever adds several values presses it once too often.
      event.preventDefault()
      add(typed)
    }
    if (event.key === 'Backspace' && typed === '' && values.length > 0) form.set(name, values.slice(0, -1))
  }
  return html`<div class=${error ? 'field invalid' : 'field'}>
    <label for=${id}>${label} <span class="optional">optional</span></label>
    ${
      values.length > 0 &&
      html`<ul class="chips" aria-label=${label}>
        ${values.map(
          value =>
            html`<li key=${value}>
              <span class="mono">${value}</span>
              <button
                type="button"
                aria-label=${`Remove ${value}`}
                disabled=${disabled}
                onClick=${() =>
                  form.set(
                    name,
                    values.filter(each => each !== value),
                  )}
              >
                <${Icon} name="close" size=${12} />
              </button>
            </li>`,
        )}
      </ul>`
    }
    <input
      id=${id}
      value=${typed}
      list=${suggestions.length > 0 ? `${id}-list` : undefined}
      placeholder=${values.length > 0 ? 'Add another' : placeholder}
      disabled=${disabled}
      autocomplete="off"
      spellcheck="false"
      aria-describedby=${[hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined}
      aria-invalid=${error !== undefined}
      onInput=${({ currentTarget: { value }, inputType }: InputEvent & { readonly currentTarget: HTMLInputElement }) =>
        value.includes(',') || (inputType === 'insertReplacementText' && suggestions.includes(value)) ? add(value) : setTyped(value)}
      onKeyDown=${onKeyDown}
      onBlur=${() => add(typed)}
    />
    ${
      suggestions.length > 0 &&
      html`<datalist id=${`${id}-list`}>
        ${suggestions.filter(each => !values.includes(each)).map(each => html`<option value=${each} />`)}
      </datalist>`
    }
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${error && html`<p class="field-error" id=${`${id}-error`}>${error}</p>`}
  </div>`
}
