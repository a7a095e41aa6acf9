import type { VNode } from 'preact'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'
import { AccountDetail } from './detail.ts'
import { AccountLists } from './list.ts'
import { levels } from './account.ts'

/** The accounts of one level, or one account with `id`. */
export default function Accounts(): VNode {
  const [{ level: given, id, org }] = useParameters()
  const level = levels.find(each => each === given) ?? 'org'
  return id === undefined
    ? html`<${AccountLists} key="lists" level=${level} />`
    : html`<${AccountDetail} key=${`${level} ${org} ${id}`} level=${level} id=${id} org=${org} />`
}
