import type { VNode } from 'preact'
import { ago, none, shortDate, time } from '../format.ts'
import { html } from '../html.ts'

/** A time in the viewer's zone; the exact one is its tooltip. `relative`: such as "3 minutes ago". */
export function Time({ at, relative }: { readonly at: string | null | undefined; readonly relative?: boolean }): VNode {
  if (!at) return html`<span class="muted">${none}</span>`
  return html`<time dateTime=${at} title=${time(at)}>${relative ? ago(at) : shortDate(at)}</time>`
}
