import type { VNode } from 'preact'
import { Badge } from '../../components/feedback.ts'
import { html } from '../../html.ts'
import { hasFailedLater, type RequestRecord } from './record.ts'
import { recordStatus } from './reasons.ts'

/** A narrow window shows the number alone. */
export function StatusBadge({ record }: { readonly record: RequestRecord }): VNode {
  const { status } = record
  const tone = hasFailedLater(record) ? 'bad' : status < 400 ? 'good' : status === 499 ? 'neutral' : status === 429 ? 'warn' : 'bad'
  const [number, ...words] = recordStatus(record).split(' ')
  return html`<${Badge} tone=${tone}>${number}<span class="extra"> ${words.join(' ')}</span><//>`
}
