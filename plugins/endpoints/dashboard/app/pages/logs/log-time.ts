import type { VNode } from 'preact'
import { clockTime, monthDay, time } from '../../format.ts'
import { html } from '../../html.ts'

/** To the second, because many requests arrive within a minute. */
export function LogTime({ at }: { readonly at: string }): VNode {
  return html`<time class="log-time" dateTime=${at} title=${time(at)}><span>${monthDay(at)}</span> ${clockTime(at)}</time>`
}
