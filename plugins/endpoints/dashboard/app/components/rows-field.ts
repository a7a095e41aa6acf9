import type { VNode } from 'preact'
import { html, type Children } from '../html.ts'
import type { FieldProps } from './fields.ts'
import { Icon } from './icon.ts'
import { Button } from './page.ts'

/** Several values that have more than one part each: a row of controls for each value. The value is an array. */
export function RowsField<R>({
  form,
  name,
  label,
  hint,
  empty,
  row,
  noun,
}: Pick<FieldProps, 'form' | 'name' | 'label' | 'hint'> & {
  /** The values of a new row. */
  readonly empty: R
  /** The controls of a row. `change` replaces its value. */
  readonly row: (value: R, change: (value: R) => void, position: number) => Children
  /** The noun for one row, for the buttons. */
  readonly noun: string
}): VNode {
  const values: readonly R[] = (form.values[name] as readonly R[] | undefined) ?? []
  const error = form.errorOf(name)
  return html`<fieldset class=${error ? 'field invalid' : 'field'}>
    <legend class="label">${label} <span class="optional">optional</span></legend>
    ${values.map(
      (value, position) =>
        html`<div class="field-row" key=${position}>
          ${row(value, next => form.set(name, values.with(position, next)), position)}
          <button
            type="button"
            class="icon-button"
            aria-label=${`Remove ${noun} ${position + 1}`}
            onClick=${() => form.set(name, values.toSpliced(position, 1))}
          >
            <${Icon} name="trash" size=${16} />
          </button>
        </div>`,
    )}
    <div>
      <${Button} small icon=${html`<${Icon} name="plus" size=${14} />`} onClick=${() => form.set(name, [...values, empty])}>Add ${noun}<//>
    </div>
    ${hint && html`<p class="hint">${hint}</p>`} ${error && html`<p class="field-error">${error}</p>`}
  </fieldset>`
}
