import type { VNode } from 'preact'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'
import { useSession } from '../../session.ts'
import { KeyDetail } from './detail.ts'
import { KeyList } from './list.ts'
import { NewKey } from './new.ts'

/** All keys, one key with `id`, or, for those who may create one, the form for a new one with `new`. */
export default function Keys(): VNode {
  const [{ id, new: isNew }] = useParameters()
  const { may } = useSession()
  if (isNew !== undefined && may('editor')) return html`<${NewKey} key="new" />`
  return id === undefined ? html`<${KeyList} key="list" />` : html`<${KeyDetail} key=${id} id=${id} />`
}
