import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Code } from '../../components/copy.ts'
import { DailyUse } from '../../components/daily-use.ts'
import { Confirm } from '../../components/dialog.ts'
import { Empty, Loading, Meter, PartProblem, Problem, Stat } from '../../components/feedback.ts'
import { Button, Page, Panel } from '../../components/page.ts'
import { useRecentSpend } from '../../components/recent-spend.ts'
import { Tabs } from '../../components/tabs.ts'
import { Time } from '../../components/time.ts'
import { useData } from '../../data.ts'
import { usd } from '../../format.ts'
import { html } from '../../html.ts'
import { go, hrefOf, useParameters } from '../../place.ts'
import { useSession } from '../../session.ts'
import { AccountTable } from './account-table.ts'
import { pathOf, usageOf, words, type Account, type AccountLevel } from './account.ts'
import { Credit } from './credit.ts'
import { NewAccount } from './new.ts'
import { AccountSettings } from './settings.ts'

interface Props {
  readonly level: AccountLevel
  readonly id: string
  readonly org: string | undefined
}

export function AccountDetail({ level, id, org }: Props): VNode {
  const path = pathOf(level, id, org)
  const { data, error, reload } = useData<Account>(path)
  const above = { title: words[level].many, href: hrefOf('accounts', { level: level === 'org' ? undefined : level }) }
  if (error && !data)
    return html`<${Page} title=${words[level].one} above=${above}><${Problem} error=${error} retry=${reload} back=${above} /><//>`
  if (!data) return html`<${Loading} />`
  return html`<${Loaded} path=${path} level=${level} account=${data} above=${above} reload=${reload} />`
}

function Loaded({
  path,
  level,
  account,
  above,
  reload,
}: {
  readonly path: string
  readonly level: AccountLevel
  readonly account: Account
  readonly above: { readonly title: string; readonly href: string }
  readonly reload: () => void
}): VNode {
  const [{ tab = 'settings' }, setParameters] = useParameters()
  const [asking, setAsking] = useState<'delete' | 'team' | 'user'>()
  const { may } = useSession()
  const { id, name, team } = account
  const { one } = words[level]
  const org = account.org ?? id
  const owner = { org, ...(level !== 'org' && { [level]: id }) }
  const tabs = [
    { id: 'settings', title: 'Settings' },
    ...(level === 'org' ? [{ id: 'teams', title: 'Teams' }] : []),
    ...(level === 'user' ? [] : [{ id: 'users', title: 'Users' }]),
    ...(level === 'org' ? [{ id: 'credit', title: 'Credit' }] : []),
    { id: 'use', title: 'Use' },
  ]
  const current = tabs.some(each => each.id === tab) ? tab : 'settings'
  const actions = html`
    <${Button} href=${hrefOf('keys', owner)}>Keys<//>
    <${Button} href=${hrefOf('logs', owner)}>Requests<//>
    ${may('editor') && html`<${Button} href=${hrefOf('keys', { new: true, ...owner, ...(team && { team }) })}>New key<//>`}
    ${may('editor', level === 'org' ? 'all' : 'org') && html`<${Button} tone="danger" onClick=${() => setAsking('delete')}>Delete<//>`}
  `
  const intro = html`<span class="row"
    ><${Code}
      text=${id}
      what=${`id of the ${one}`}
    />${level !== 'org' && html`in <a href=${hrefOf('accounts', { level: 'org', id: org })}>${org}</a>`}</span
  >`
  const below = (of: 'team' | 'user'): VNode =>
    html`<${Panel}
      flush
      title=${words[of].many}
      actions=${may('editor') && html`<${Button} small onClick=${() => setAsking(of)}>New ${of}<//>`}
    >
      <${AccountTable}
        level=${of}
        query=${{ org, ...(level === 'team' && { team: id }) }}
        empty=${html`<${Empty} title=${`No ${of} here yet`} />`}
      />
    <//>`
  return html`<${Page} title=${name} intro=${intro} above=${above} actions=${actions}>
    <${Numbers} level=${level} account=${account} />
    <${Tabs}
      label=${name}
      tabs=${tabs}
      current=${current}
      onSelect=${(next: string) => setParameters({ tab: next === 'settings' ? undefined : next, cursor: undefined })}
    >
      ${current === 'settings' && html`<${Panel}><${AccountSettings} path=${path} level=${level} account=${account} onSaved=${reload} /><//>`}
      ${current === 'teams' && below('team')} ${current === 'users' && below('user')}
      ${current === 'credit' && html`<${Credit} org=${id} onChanged=${reload} />`}
      ${current === 'use' && html`<${Panel} title="Use"><${DailyUse} filter=${owner} /><//>`}
    <//>
    ${
      (asking === 'team' || asking === 'user') &&
      html`<${NewAccount} level=${asking} org=${org} team=${level === 'team' ? id : undefined} onClose=${() => setAsking(undefined)} />`
    }
    ${
      asking === 'delete' &&
      html`<${Confirm}
        title=${`Delete ${name}?`}
        action="Delete"
        onClose=${() => setAsking(undefined)}
        onConfirm=${async () => {
          await api.delete(path)
          go(above.href)
        }}
      >
        ${`This works only without keys and accounts below the ${one}. Its id can never be used again.`}
      <//>`
    }
  <//>`
}

function Numbers({ level, account }: { readonly level: AccountLevel; readonly account: Account }): VNode {
  const { spent_usd: spent, held_usd: held, left_usd: left, spend_cap_usd: cap, spend_period: period, created_at: at } = account
  const { credit_balance_usd: balance, credit_held_usd: heldCredit } = account
  const heldNote = (amount: number | null | undefined): string => `${usd(amount)} held by requests under way`
  const recent = useRecentSpend(cap === null ? usageOf(account) : undefined)
  const note = html`<${Meter}
    label="Spent, in US dollars"
    value=${spent ?? 0}
    most=${cap}
    text=${`of ${usd(cap)}${period ? ` a ${period}` : ''}`}
  />`
  return html`<${PartProblem} title="The spending could not be loaded." of=${recent} />
    <div class="stats">
      ${
        cap === null
          ? html`<${Stat} label="Spent" value=${recent.text} note="in the last 30 days, no cap" />`
          : html`<${Stat} label="Spent" value=${usd(spent)} note=${note} /><${Stat}
                label="Left"
                value=${usd(left)}
                note=${heldNote(held)}
              />`
      }
      ${
        level === 'org' &&
        (balance === null || balance === undefined
          ? html`<${Stat} label="Credit" isText value="not kept" note="tracked from the first entry" />`
          : html`<${Stat} label="Credit" value=${usd(balance)} tone=${balance <= 0 ? 'bad' : 'neutral'} note=${heldNote(heldCredit)} />`)
      }
      ${level === 'user' && html`<${Stat} label="Team" isText value=${account.team ?? 'none'} />`}
      <${Stat} label="Created" isText value=${html`<${Time} at=${at} />`} />
    </div>`
}
