import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api, type ListOf } from '../../api.ts'
import { Badge, Empty, Problem, type Tone } from '../../components/feedback.ts'
import { Select } from '../../components/fields.ts'
import { Button, Panel } from '../../components/page.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { count, none } from '../../format.ts'
import { useData } from '../../data.ts'
import { html, type Children } from '../../html.ts'
import { hrefOf, useParameters } from '../../place.ts'
import { useSession } from '../../session.ts'
import { kindName } from './alert.ts'
import { NotLoaded } from './not-loaded.ts'
import { hasNoTargets, type Target } from './target.ts'

interface Message {
  readonly id: string
  readonly target: string
  readonly org: string | null
  readonly kind: string
  /** The id of the alert. Null: a digest. */
  readonly alert: string | null
  readonly digest: { readonly counts: Readonly<Record<string, number>> } | null
  readonly state: 'waiting' | 'delivered' | 'failed' | 'left-out'
  readonly tries: number
  readonly failure: string | null
  readonly created_at: string
  readonly ended_at: string | null
}

const liveMs = 10_000
const states: Readonly<Record<Message['state'], { readonly name: string; readonly tone: Tone }>> = {
  failed: { name: 'Given up', tone: 'bad' },
  waiting: { name: 'Waiting', tone: 'warn' },
  delivered: { name: 'Delivered', tone: 'good' },
  'left-out': { name: 'In a digest', tone: 'neutral' },
}

/** What could not be delivered to targets, and can be sent again; or all that was sent. */
export function MessageList(): VNode {
  const [{ state = 'failed', target }, setParameters] = useParameters()
  const { may } = useSession()
  const [error, setError] = useState<unknown>()
  const [version, setVersion] = useState(0)
  const targets = useData<ListOf<Target>>('/alert-targets', undefined, { all: true })
  const known = targets.data?.data ?? []
  const nameOf = (id: string): string => known.find(each => each.id === id)?.name ?? id
  const resend = async ({ id }: Message): Promise<void> => {
    setError(undefined)
    await api.post(`/alert-messages/${encodeURIComponent(id)}/resend`, {}).catch(setError)
    setVersion(now => now + 1)
  }
  const columns: readonly Column<Message>[] = [
    { head: 'Time', cell: ({ created_at: at }) => html`<${Time} at=${at} />` },
    { head: 'Target', cell: ({ target: id }) => html`<span class="anywhere">${nameOf(id)}</span>` },
    { head: 'Message', cell: messageCell },
    { head: 'State', cell: stateCell },
    { head: 'Why', cell: ({ failure }) => html`<span class="anywhere">${failure ?? none}</span>` },
    ...(may('editor')
      ? [
          {
            head: 'Actions',
            align: 'end' as const,
            cell: (message: Message) =>
              message.state === 'failed' && html`<${Button} small onClick=${() => void resend(message)}>Send again<//>`,
          },
        ]
      : []),
  ]
  const unknown = target !== undefined && !known.some(({ id }) => id === target) ? [{ value: target, label: target }] : []
  const isFiltered = target !== undefined || state !== 'failed'
  if (hasNoTargets(targets.error)) return html`<${Panel}><${NotLoaded} error=${targets.error} retry=${targets.reload} /><//>`
  return html`<div class="stack">
    <div class="filters" role="search" aria-label="Filter the messages">
      <${Select}
        label="State"
        value=${state}
        choices=${[...Object.entries(states).map(([value, { name }]) => ({ value, label: name })), { value: 'any', label: 'Any' }]}
        onChange=${(value: string) => setParameters({ state: value === 'failed' ? undefined : value, cursor: undefined })}
      />
      <${Select}
        label="Target"
        value=${target ?? ''}
        choices=${[{ value: '', label: 'Any' }, ...known.map(({ id, name }) => ({ value: id, label: name })), ...unknown]}
        onChange=${(value: string) => setParameters({ target: value, cursor: undefined })}
      />
      ${isFiltered && html`<${Button} tone="quiet" href=${hrefOf('alerts', { tab: 'messages' })}>Clear<//>`}
    </div>
    ${error !== undefined && html`<${Problem} error=${error} />`}
    <${Panel} flush>
      <${PagedTable}
        label="Messages"
        path="/alert-messages"
        query=${{ target, state: state === 'any' ? undefined : state }}
        limit=${50}
        pollMs=${liveMs}
        version=${version}
        columns=${columns}
        rowKey=${({ id }: Message) => id}
        failed=${NotLoaded}
        empty=${
          isFiltered
            ? html`<${Empty} title="No messages match" />`
            : html`<${Empty} title="Everything was delivered"
                >What a target does not take in a day is given up, and can be sent again here.<//
              >`
        }
      />
    <//>
  </div>`
}

function messageCell({ kind, alert, digest, org }: Message): VNode {
  const counted = Object.entries(digest?.counts ?? {}).map(([each, number]) => `${count(number)} × ${kindName(each)}`)
  return html`<span class="two-lines">
    ${kind === 'digest' ? 'Digest' : kindName(kind)}
    <small class="anywhere"
      >${kind === 'digest' ? counted.join(', ') : html`<span class="mono">${alert}</span>`}${org !== null && ` of ${org}`}</small
    >
  </span>`
}

function stateCell({ state, tries, ended_at: ended }: Message): Children {
  return html`<span class="two-lines">
    <span><${Badge} tone=${states[state].tone}>${states[state].name}<//></span>
    <small>${tries === 1 ? '1 try' : `${count(tries)} tries`}${ended !== null && html`, <${Time} at=${ended} relative />`}</small>
  </span>`
}
