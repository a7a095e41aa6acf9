import type { VNode } from 'preact'
import { ApiError } from '../api.ts'
import type { Loaded } from '../data.ts'
import { html, type Children } from '../html.ts'
import { Icon } from './icon.ts'
import { Button } from './page.ts'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info' | 'accent'

export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children?: Children }): VNode {
  return html`<span class=${`badge ${tone}`}>${children}</span>`
}

/** Says something in place. What is `bad` is announced at once. */
export function Notice({
  tone = 'info',
  title,
  actions,
  children,
}: {
  readonly tone?: Tone
  readonly title?: string
  readonly actions?: Children
  readonly children?: Children
}): VNode {
  return html`<div class=${`notice ${tone}`} role=${tone === 'bad' ? 'alert' : 'status'}>
    ${(tone === 'bad' || tone === 'warn') && html`<${Icon} name="alert" />`}
    <div>
      ${title && html`<strong>${title}</strong>`}
      <div>${children}</div>
    </div>
    ${actions && html`<div class="actions">${actions}</div>`}
  </div>`
}

/** A failure, and what to do about it. `title` says what failed, on a page that shows the rest. */
export function Problem({
  error,
  title,
  retry,
  back,
}: {
  readonly error: unknown
  readonly title?: string
  /** The list, offered instead of another try when the gateway says that there is no such thing. */
  readonly back?: { readonly title: string; readonly href: string }
  readonly retry?: (() => void) | undefined
}): VNode {
  const advice = error instanceof ApiError ? error.advice : undefined
  const isMissing = error instanceof ApiError && error.status === 404 && back !== undefined
  const actions = isMissing
    ? html`<${Button} small href=${back.href}>Go to the list of ${back.title.toLowerCase()}<//>`
    : retry && html`<${Button} small onClick=${retry}>Try again<//>`
  return html`<${Notice} tone="bad" title=${title} actions=${actions}>
    ${error instanceof Error ? error.message : String(error)} ${advice}
  <//>`
}

/** In place of a list that is empty: why, and what to do next. */
export function Empty({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: Children
  readonly children?: Children
}): VNode {
  return html`<div class="empty">
    <p class="empty-title">${title}</p>
    ${children && html`<p>${children}</p>`} ${action}
  </div>`
}

/** Says that a part of the page could not be loaded, as far as it could not. */
export function PartProblem({
  of,
  title,
}: {
  readonly of: Pick<Loaded<unknown>, 'error' | 'reload'>
  readonly title: string
}): VNode | null {
  return of.error === undefined ? null : html`<${Problem} title=${title} error=${of.error} retry=${of.reload} />`
}

export function Loading({ label = 'Loading' }: { readonly label?: string }): VNode {
  return html`<div class="loading" role="status"><span class="spinner" aria-hidden="true"></span>${label}…</div>`
}

/** One number with its name. `note`: what it is compared with, or of. `tone` colors the number. */
export function Stat({
  label,
  value,
  note,
  tone = 'neutral',
  isText,
  href,
}: {
  readonly label: string
  readonly value: Children
  readonly note?: Children
  /** Smaller, for words and times. */
  readonly isText?: boolean
  readonly tone?: Tone
  readonly href?: string
}): VNode {
  const size = isText ? ' text' : typeof value !== 'string' || value.length < 9 ? '' : value.length < 12 ? ' long' : ' longest'
  const inside = html`<span class="stat-label">${label}</span><span class=${`stat-value ${tone}${size}`}>${value}</span>${
      note && html`<span class="stat-note">${note}</span>`
    }`
  return href === undefined ? html`<div class="stat">${inside}</div>` : html`<a class="stat" href=${href}>${inside}</a>`
}

/** How much of something is used up. Without a most, only the text is shown. */
export function Meter({
  label,
  value,
  most,
  text,
}: {
  readonly label: string
  readonly value: number
  readonly most: number | null | undefined
  readonly text: Children
}): VNode {
  if (most === null || most === undefined) return html`<span class="meter-text">${text}</span>`
  const share = most > 0 ? Math.min(1, value / most) : 1
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'good'
  return html`<span class="meter">
    <span class="meter-text">${text}</span>
    <span class="meter-bar" role="meter" aria-label=${label} aria-valuemin="0" aria-valuemax=${most} aria-valuenow=${Math.min(value, most)}>
      <span class=${`meter-fill ${tone}`} style=${{ width: `${share * 100}%` }}></span>
    </span>
  </span>`
}
