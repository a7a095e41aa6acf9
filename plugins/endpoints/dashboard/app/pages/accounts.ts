import type { VNode } from 'preact'
import { Page } from '../components/page.ts'
import { html } from '../html.ts'

export default function Organizations(): VNode {
  return html`<${Page} title="Organizations"><//>`
}
