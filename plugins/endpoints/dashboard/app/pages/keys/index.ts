import type { VNode } from 'preact'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'
import { KeyDetail } from './detail.ts'
import { KeyList } from './list.ts'
import { NewKey } from './new.ts'

/** All keys, one key with `id`, or the form for a new one with `new`. */
export default function Keys(): VNode {
  const [{ id, new: isNew }] = useParameters()
  if (isNew !== undefined) return html`<${NewKey} key="new" />`
  return id === undefined ? html`<${KeyList} key="list" />` : html`<${KeyDetail} key=${id} id=${id} />`
}
