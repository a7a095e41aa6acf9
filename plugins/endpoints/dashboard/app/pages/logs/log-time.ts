import type { VNode } from 'preact'
import { time } from '../../format.ts'
import { html } from '../../html.ts'

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** To the second, because many requests arrive within a minute. */
export function LogTime({ at }: { readonly at: string }): VNode {
  const date = new Date(at)
  return html`<time class="log-time" dateTime=${at} title=${time(at)}><span>${day.format(date)}</span> ${clock.format(date)}</time>`
}
