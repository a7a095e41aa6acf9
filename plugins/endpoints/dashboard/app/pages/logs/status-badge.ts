import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { html } from '../../html.ts'
import { statusText } from './reasons.ts'

/** A narrow window shows the number alone. */
export function StatusBadge({ status }: { readonly status: number }): VNode {
  const tone = status < 400 ? 'good' : status === 499 ? 'neutral' : status === 429 ? 'warn' : 'bad'
  const [number, ...words] = statusText(status).split(' ')
  return html`<${Badge} tone=${tone}>${number}<span class="extra"> ${words.join(' ')}</span><//>`
}
