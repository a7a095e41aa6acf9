import type { VNode } from 'preact'
import { api } from '../../api.ts'
import { Dialog } from '../../components/dialog.ts'
import { SelectField } from '../../components/fields.ts'
import { Form, useForm } from '../../components/form.ts'
import { html } from '../../html.ts'
import type { ShownKey } from './key.ts'

const graces = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: 'One week' },
]

/** Asks how long the old secret should work, and gives the key a new one. */
export function Rotate({
  path,
  name,
  onRotated,
  onClose,
}: {
  readonly path: string
  readonly name: string
  readonly onRotated: (shown: ShownKey) => void
  readonly onClose: () => void
}): VNode {
  const form = useForm({ grace_seconds: '3600' })
  return html`<${Dialog} title=${`Rotate ${name}`} onClose=${onClose}>
    <p>The key gets a new secret, which is shown only once. Its settings and its id stay the same.</p>
    <${Form}
      form=${form}
      action="Rotate"
      onCancel=${onClose}
      onSubmit=${async ({ grace_seconds: seconds }: { readonly grace_seconds: string }) =>
        onRotated(await api.post<ShownKey>(`${path}/rotate`, { grace_seconds: Number(seconds) }))}
    >
      <${SelectField} form=${form} name="grace_seconds" label="Keep the old secret for" required choices=${graces} />
    <//>
  <//>`
}
