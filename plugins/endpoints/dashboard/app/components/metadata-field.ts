import type { VNode } from 'preact'
import { html } from '../html.ts'
import type { FormState } from './form.ts'
import { RowsField } from './rows-field.ts'

type Entry = readonly [name: string, value: string]

/** The metadata of a key or an account, whose form has them as `metadata`: pairs of name and value. */
export function MetadataField({ form }: { readonly form: FormState<any> }): VNode {
  return html`<${RowsField}
    form=${form}
    name="metadata"
    label="Metadata"
    noun="entry"
    empty=${['', '']}
    row=${row}
    hint="Up to 16 pairs of name and value, for your own use."
  />`
}

/** As the API takes them. */
export function metadataOf(entries: readonly Entry[]): Readonly<Record<string, string>> {
  return Object.fromEntries(entries.filter(([name]) => name !== ''))
}

function row([name, value]: Entry, change: (entry: Entry) => void, position: number): VNode {
  const typed = (event: Event): string => (event.currentTarget as HTMLInputElement).value
  return html`
    <input
      aria-label=${`Name ${position + 1}`}
      placeholder="name"
      maxlength="64"
      value=${name}
      onInput=${(event: Event) => change([typed(event), value])}
    />
    <input
      aria-label=${`Value ${position + 1}`}
      placeholder="value"
      maxlength="512"
      value=${value}
      onInput=${(event: Event) => change([name, typed(event)])}
    />
  `
}
