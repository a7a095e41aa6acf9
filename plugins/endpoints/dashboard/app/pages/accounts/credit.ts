import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Dialog } from '../../components/dialog.ts'
import { Empty } from '../../components/feedback.ts'
import { NumberField, TextField } from '../../components/fields.ts'
import { Form, useForm } from '../../components/form.ts'
import { Icon } from '../../components/icon.ts'
import { Button, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { usd } from '../../format.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import { useSession } from '../../session.ts'

interface Entry {
  readonly id: string
  readonly amount_usd: number
  readonly note: string | null
  readonly request_id: string | null
  readonly created_at: string
}

const columns: readonly Column<Entry>[] = [
  { head: 'Time', cell: ({ created_at: at }) => html`<${Time} at=${at} />` },
  {
    head: 'For',
    cell: ({ note, request_id: request }) =>
      request === null ? (note ?? '') : html`<a href=${hrefOf('logs', { record: request })}>a request</a>`,
  },
  {
    head: 'Amount',
    cell: ({ amount_usd: amount }) => html`<span class=${amount < 0 ? 'bad-text' : 'good-text'}>${amount > 0 && '+'}${usd(amount)}</span>`,
    align: 'end',
  },
]

/** The credit of an organization: its entries, and a form that adds one. */
export function Credit({ org, onChanged }: { readonly org: string; readonly onChanged: () => void }): VNode {
  const { may } = useSession()
  const [isAdding, setAdding] = useState(false)
  const [version, setVersion] = useState(0)
  const path = `/orgs/${encodeURIComponent(org)}/credits`
  const add = html`<${Button} tone="primary" small icon=${html`<${Icon} name="plus" size=${14} />`} onClick=${() => setAdding(true)}
    >Add credit<//
  >`
  return html`<${Panel}
    flush
    title="Credit"
    intro="From the first entry, the organization's requests are charged to it."
    actions=${may('editor', 'all') && add}
  >
    <${PagedTable}
      label="Credit"
      path=${path}
      columns=${columns}
      version=${version}
      rowKey=${({ id }: Entry) => id}
      empty=${html`<${Empty} title="No credit yet">With an entry, requests are charged to it. When it is used up, they get a 402.<//>`}
    />
    ${
      isAdding &&
      html`<${AddCredit}
        path=${path}
        onClose=${() => setAdding(false)}
        onAdded=${() => {
          setAdding(false)
          setVersion(version + 1)
          onChanged()
        }}
      />`
    }
  <//>`
}

function AddCredit({
  path,
  onAdded,
  onClose,
}: {
  readonly path: string
  readonly onAdded: () => void
  readonly onClose: () => void
}): VNode {
  const form = useForm<{ readonly amount_usd: number | null; readonly note: string }>({ amount_usd: null, note: '' })
  return html`<${Dialog} title="Add credit" onClose=${onClose}>
    <${Form}
      form=${form}
      action="Add credit"
      disabled=${form.values.amount_usd === null}
      onCancel=${onClose}
      onSubmit=${async ({ amount_usd: amount, note }: { readonly amount_usd: number; readonly note: string }) => {
        await api.post(path, { amount_usd: amount, ...(note && { note }) })
        onAdded()
      }}
    >
      <${NumberField}
        form=${form}
        name="amount_usd"
        label="Amount"
        unit="USD"
        min=${-9_000_000}
        required
        hint="A negative amount takes credit away."
      />
      <${TextField} form=${form} name="note" label="Note" placeholder="Invoice 7" />
    <//>
  <//>`
}
