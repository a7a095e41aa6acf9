import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { html } from '../html.ts'
import { Select } from './fields.ts'

type Settings = Readonly<Record<string, unknown>>

const detectors = {
  secret: 'Secrets',
  email: 'E-mail addresses',
  iban: 'IBANs',
  card: 'Card numbers',
  national_id: 'National ids',
  phone: 'Phone numbers',
  ip: 'IP addresses',
  birth_date: 'Birth dates',
  person: 'Names of people',
} as const
/** Those that look for something if a policy names none. */
const usual: readonly string[] = ['secret', 'email', 'iban', 'card', 'national_id', 'phone', 'ip']

/** The detectors of redaction, and its treatment of their finds. The JSON has all settings, including the rarer ones. */
export function RedactionSettings({
  value = {},
  disabled,
  error,
  onChange,
}: {
  readonly value?: Settings | undefined
  readonly disabled?: boolean
  readonly error?: string | undefined
  readonly onChange: (value: Settings | undefined) => void
}): VNode {
  const [text, setText] = useState<string>()
  const chosen = (value['detectors'] as readonly string[] | undefined) ?? usual
  const change = (part: Settings): void => {
    const next = Object.fromEntries(Object.entries({ ...value, ...part }).filter(([, each]) => each !== undefined))
    onChange(Object.keys(next).length > 0 ? next : undefined)
  }
  const detect = (name: string, isOn: boolean): void =>
    change({ detectors: Object.keys(detectors).filter(each => (each === name ? isOn : chosen.includes(each))) })
  const problem = text === undefined ? undefined : problemOf(text)
  return html`<div class="stack inset">
    <fieldset class="checks" disabled=${disabled}>
      <legend class="label">Look for</legend>
      ${Object.entries(detectors).map(
        ([name, label]) =>
          html`<label>
            <input
              type="checkbox"
              checked=${chosen.includes(name)}
              onChange=${(event: Event) => detect(name, (event.currentTarget as HTMLInputElement).checked)}
            />
            ${label}
          </label>`,
      )}
    </fieldset>
    <div class="filters">
      <${Select}
        label="What is found"
        value=${(value['replacement'] as string | undefined) ?? 'placeholder'}
        disabled=${disabled}
        choices=${[
          { value: 'placeholder', label: 'Replace with a placeholder' },
          { value: 'mask', label: 'Mask' },
          { value: 'refuse', label: 'Refuse the request' },
        ]}
        onChange=${(replacement: string) => change({ replacement })}
      />
      <${Select}
        label="Content that cannot be read"
        value=${(value['unreadable'] as string | undefined) ?? ''}
        disabled=${disabled}
        choices=${[
          { value: '', label: 'As by default' },
          { value: 'pass', label: 'Let it pass' },
          { value: 'refuse', label: 'Refuse the request' },
        ]}
        onChange=${(unreadable: string) => change({ unreadable: unreadable || undefined })}
      />
    </div>
    <details>
      <summary>All settings as JSON, including your own patterns</summary>
      <textarea
        rows="8"
        aria-label="Settings of redaction as JSON"
        aria-invalid=${problem !== undefined}
        spellcheck="false"
        disabled=${disabled}
        value=${text ?? JSON.stringify(value, null, 2)}
        onInput=${(event: Event) => {
          const given = (event.currentTarget as HTMLTextAreaElement).value
          setText(given)
          if (problemOf(given) === undefined) onChange(JSON.parse(given) as Settings)
        }}
        onBlur=${() => problem === undefined && setText(undefined)}
      />
      ${problem && html`<p class="field-error">${problem} Until then, it is not sent.</p>`}
    </details>
    ${error && html`<p class="field-error">${error}</p>`}
  </div>`
}

function problemOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'Expected an object, such as {"detectors": ["email"]}.'
  } catch {
    return 'This is not JSON yet.'
  }
}
