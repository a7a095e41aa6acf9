import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Empty } from '../../components/feedback.ts'
import { Input } from '../../components/fields.ts'
import { Icon } from '../../components/icon.ts'
import { Button, Page, Panel } from '../../components/page.ts'
import { Tabs } from '../../components/tabs.ts'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'
import { useSession } from '../../session.ts'
import { AccountTable } from './account-table.ts'
import { levels, words, type AccountLevel } from './account.ts'
import { NewAccount } from './new.ts'

export function AccountLists({ level }: { readonly level: AccountLevel }): VNode {
  const [{ org, team }, setParameters] = useParameters()
  const [isCreating, setCreating] = useState(false)
  const { may } = useSession()
  const { one, many } = words[level]
  const mayCreate = may('editor', level === 'org' ? 'all' : 'org')
  const create = html`<${Button} tone="primary" icon=${html`<${Icon} name="plus" />`} onClick=${() => setCreating(true)}>New ${one}<//>`
  const isFiltered = org !== undefined || team !== undefined
  return html`<${Page}
    title="Organizations"
    intro="Organizations, teams and users enforce policy on the keys below them, and cap what they spend."
    actions=${mayCreate && create}
  >
    <${Tabs}
      label="Levels"
      tabs=${levels.map(id => ({ id, title: words[id].many }))}
      current=${level}
      onSelect=${(id: string) => setParameters({ level: id === 'org' ? undefined : id, org, team: undefined, cursor: undefined })}
    >
      <div class="stack">
        ${
          level !== 'org' &&
          html`<div class="filters" role="search" aria-label=${many}>
            <${Input}
              label="Organization"
              placeholder="All"
              value=${org ?? ''}
              onChange=${(value: string) => setParameters({ org: value, cursor: undefined }, { replace: true })}
            />
            ${
              level === 'user' &&
              html`<${Input}
                label="Team"
                placeholder="All"
                value=${team ?? ''}
                onChange=${(value: string) => setParameters({ team: value, cursor: undefined }, { replace: true })}
              />`
            }
          </div>`
        }
        <${Panel} flush>
          <${AccountTable}
            key=${level}
            level=${level}
            query=${level === 'org' ? {} : { org, ...(level === 'user' && { team }) }}
            empty=${
              isFiltered && level !== 'org'
                ? html`<${Empty} title=${`No ${one} matches`}>Check the ids.<//>`
                : html`<${Empty} title=${`No ${one} yet`} action=${mayCreate && create}>
                    ${level === 'org' ? 'Keys without an account belong to the organization default.' : `A key may belong to a ${one} of its organization.`}
                  <//>`
            }
          />
        <//>
      </div>
    <//>
    ${isCreating && html`<${NewAccount} level=${level} org=${org} team=${team} onClose=${() => setCreating(false)} />`}
  <//>`
}
