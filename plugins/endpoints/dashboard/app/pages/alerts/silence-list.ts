import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Confirm } from '../../components/dialog.ts'
import { Badge, Empty } from '../../components/feedback.ts'
import { Icon } from '../../components/icon.ts'
import { Button, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { none } from '../../format.ts'
import { html } from '../../html.ts'
import { useSession } from '../../session.ts'
import { kindName } from './alert.ts'
import { NewSilence } from './new-silence.ts'
import { NotKept } from './not-loaded.ts'

interface Silence {
  readonly id: string
  readonly created_at: string
  readonly until: string
  readonly kind: string | null
  readonly subject: string | null
  readonly org: string | null
  readonly note: string | null
  readonly created_by: string
  /** `org`: it holds for the organization's own targets only. */
  readonly reach: 'all' | 'org'
}

/** The silences that have not ended. */
export function SilenceList(): VNode {
  const { may, org: ownOrg } = useSession()
  const [isCreating, setCreating] = useState(false)
  const [ending, setEnding] = useState<Silence>()
  const [version, setVersion] = useState(0)
  const changed = (): void => setVersion(now => now + 1)
  const end = (silence: Silence): VNode | false =>
    (ownOrg === null || silence.reach === 'org') &&
    html`<${Button} small tone="danger" aria-label=${`End the silence of ${matchText(silence)}`} onClick=${() => setEnding(silence)}
      >End<//
    >`
  const columns: readonly Column<Silence>[] = [
    { head: 'Silenced', cell: silence => html`<span class="anywhere">${matchText(silence)}</span>` },
    {
      head: 'Until',
      cell: ({ until }) =>
        html`<span class="two-lines"
          ><${Time} at=${until} /><small><${Time} at=${until} relative /></small
        ></span>`,
    },
    {
      head: 'Not told',
      cell: ({ reach, org }) =>
        reach === 'all' ? html`<${Badge} tone="warn">nobody is told<//>` : html`<span class="anywhere">targets of ${org}</span>`,
    },
    { head: 'Note', isExtra: true, cell: ({ note }) => html`<span class="anywhere">${note ?? none}</span>` },
    { head: 'By', isExtra: true, cell: ({ created_by: by }) => html`<code class="anywhere">${by}</code>` },
    ...(may('editor') ? [{ head: 'Actions', align: 'end' as const, cell: end }] : []),
  ]
  const create = html`<${Button} tone="primary" small icon=${html`<${Icon} name="plus" size=${14} />`} onClick=${() => setCreating(true)}
    >New silence<//
  >`
  return html`<${Panel} flush title="Silences" intro="Alerts that match are listed, but not delivered." actions=${may('editor') && create}>
    <${PagedTable}
      label="Silences that have not ended"
      path="/silences"
      version=${version}
      columns=${columns}
      rowKey=${({ id }: Silence) => id}
      failed=${NotKept}
      empty=${html`<${Empty} title="No silences" action=${may('editor') && create}>All alerts are delivered to their targets.<//>`}
    />
    ${
      isCreating &&
      html`<${NewSilence}
        onClose=${() => setCreating(false)}
        onCreated=${() => {
          setCreating(false)
          changed()
        }}
      />`
    }
    ${
      ending &&
      html`<${Confirm}
        title="End this silence?"
        action="End it"
        onClose=${() => setEnding(undefined)}
        onConfirm=${async () => {
          await api.delete(`/silences/${encodeURIComponent(ending.id)}`)
          setEnding(undefined)
          changed()
        }}
      >
        Alerts of ${matchText(ending)} are delivered again from now on.
      <//>`
    }
  <//>`
}

function matchText({ kind, subject, org }: Silence): string {
  const parts = [kind && kindName(kind), subject, org && `organization ${org}`].filter(Boolean)
  return parts.join(', ')
}
