import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api, type ListOf } from '../../api.ts'
import { CodeBlock } from '../../components/copy.ts'
import { Confirm, Dialog } from '../../components/dialog.ts'
import { Badge, Empty, Notice } from '../../components/feedback.ts'
import { SelectField, TextField } from '../../components/fields.ts'
import { Form, useForm } from '../../components/form.ts'
import { Icon } from '../../components/icon.ts'
import { Button, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { useData } from '../../data.ts'
import { html } from '../../html.ts'
import { useSession, type Role } from '../../session.ts'

interface Token {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly org: string | null
  readonly created_at: string
}

/** Who may use the admin API and the dashboard. */
export function Tokens(): VNode {
  const { id: own } = useSession()
  const [isCreating, setCreating] = useState(false)
  const [deleting, setDeleting] = useState<Token>()
  const [version, setVersion] = useState(0)
  const changed = (): void => setVersion(now => now + 1)
  const columns: readonly Column<Token>[] = [
    { head: 'Name', cell: ({ id, name }) => html`<span class="two-lines">${name}<small class="mono">${id}</small></span>` },
    { head: 'Role', cell: ({ role }) => html`<${Badge} tone=${role === 'owner' ? 'accent' : 'neutral'}>${role}<//>` },
    { head: 'Organization', cell: ({ org }) => org ?? html`<span class="muted">all</span>` },
    { head: 'Created', cell: ({ created_at: at }) => html`<${Time} at=${at} />`, isExtra: true },
    {
      head: 'Actions',
      align: 'end',
      cell: token =>
        html`<${Button} small tone="danger" aria-label=${`Delete ${token.name}`} onClick=${() => setDeleting(token)}>Delete<//>`,
    },
  ]
  const create = html`<${Button} tone="primary" small icon=${html`<${Icon} name="plus" size=${14} />`} onClick=${() => setCreating(true)}
    >New token<//
  >`
  return html`<${Panel}
    flush
    title="Admin tokens"
    intro="They sign people in to the dashboard and give access to the admin API. Deleting a token ends its sessions."
    actions=${create}
  >
    <${PagedTable}
      label="Admin tokens"
      path="/admin-tokens"
      columns=${columns}
      version=${version}
      rowKey=${({ id }: Token) => id}
      empty=${html`<${Empty} title="No admin tokens yet" action=${create}>You can still sign in with GATEWAY_ADMIN_TOKEN.<//>`}
    />
    ${isCreating && html`<${NewToken} onCreated=${changed} onClose=${() => setCreating(false)} />`}
    ${
      deleting &&
      html`<${Confirm}
        title=${`Delete ${deleting.name}?`}
        action="Delete"
        onClose=${() => setDeleting(undefined)}
        onConfirm=${async () => {
          await api.delete(`/admin-tokens/${encodeURIComponent(deleting.id)}`)
          setDeleting(undefined)
          changed()
        }}
      >
        ${deleting.id === own ? 'You are signed in with this token, so you will be signed out.' : 'Whoever uses it loses access, and its sessions end.'}
      <//>`
    }
  <//>`
}

function NewToken({ onCreated, onClose }: { readonly onCreated: () => void; readonly onClose: () => void }): VNode {
  const { org: ownOrg } = useSession()
  const form = useForm<{ readonly name: string; readonly role: Role; readonly org: string }>({
    name: '',
    role: 'viewer',
    org: ownOrg ?? '',
  })
  const orgs = useData<ListOf<{ readonly id: string }>>('/orgs', undefined, { all: true })
  const [text, setText] = useState<string>()
  if (text !== undefined)
    return html`<${Dialog} title="Token created" onClose=${onClose}>
      <${Notice} tone="warn" title="Copy it now.">Only its hash is kept, so it cannot be shown again.<//>
      <${CodeBlock} text=${text} label="Admin token" />
      <div class="dialog-actions"><${Button} tone="primary" onClick=${onClose}>Done<//></div>
    <//>`
  return html`<${Dialog} title="New admin token" onClose=${onClose}>
    <${Form}
      form=${form}
      action="Create token"
      onCancel=${onClose}
      onSubmit=${async ({ name, role, org }: { readonly name: string; readonly role: Role; readonly org: string }) => {
        const made = await api.post<{ readonly token: string }>('/admin-tokens', { name, role, ...(org && { org }) })
        setText(made.token)
        onCreated()
      }}
    >
      <${TextField}
        form=${form}
        name="name"
        label="Name"
        required
        placeholder="ada"
        hint="The audit trail shows the id of the token, so give each person their own."
      />
      <${SelectField}
        form=${form}
        name="role"
        label="Role"
        required
        choices=${[
          { value: 'viewer', label: 'Viewer: reads' },
          { value: 'editor', label: 'Editor: changes accounts and keys, reads content, uses the playground' },
          { value: 'owner', label: 'Owner: manages admin tokens, too' },
        ]}
      />
      <${TextField}
        form=${form}
        name="org"
        label="Organization"
        placeholder="All organizations"
        disabled=${ownOrg !== null}
        suggestions=${orgs.data?.data.map(({ id }) => id) ?? []}
        hint="A token of one organization sees and changes only that organization."
      />
    <//>
  <//>`
}
