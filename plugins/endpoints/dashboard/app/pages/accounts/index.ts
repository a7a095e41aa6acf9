import type { VNode } from 'preact'
import { Empty } from '../../components/feedback.ts'
import { Button, Page, Panel } from '../../components/page.ts'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'
import { AccountDetail } from './detail.ts'
import { AccountLists } from './list.ts'
import { levels } from './account.ts'

/** The accounts of one level, or one account with `id`. */
export default function Accounts(): VNode {
  const [{ level: given, id, org }] = useParameters()
  const level = levels.find(each => each === given) ?? 'org'
  if (given !== undefined && given !== level)
    return html`<${Page} title="Organizations">
      <${Panel}>
        <${Empty} title=${`The level “${given}” does not exist`} action=${html`<${Button} href="accounts">Show all organizations<//>`}>
          Accounts are at the level org, team or user.
        <//>
      <//>
    <//>`
  return id === undefined
    ? html`<${AccountLists} key="lists" level=${level} />`
    : html`<${AccountDetail} key=${`${level} ${org} ${id}`} level=${level} id=${id} org=${org} />`
}
