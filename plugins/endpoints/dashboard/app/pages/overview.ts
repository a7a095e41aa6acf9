import type { VNode } from 'preact'
import { Page } from '../components/page.ts'
import { html } from '../html.ts'

export default function Overview(): VNode {
  return html`<${Page} title="Overview"><//>`
}
