import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { html, type Children } from '../html.ts'

export interface PageProps {
  readonly title: string
  /** A sentence below the title. */
  readonly intro?: Children
  /** Buttons next to the title. */
  readonly actions?: Children
  /** The page that this one is below, as a link above the title. */
  readonly above?: { readonly title: string; readonly href: string } | undefined
  readonly children?: Children
}

let isFirst = true

/** The frame of every page. When it opens, the title gets the focus, so that the keyboard and screen readers start there. */
export function Page({ title, intro, actions, above, children }: PageProps): VNode {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Turnpike`
  }, [title])
  useLayoutEffect(() => {
    // The browser itself does this for the page that it opens.
    if (!isFirst) heading.current?.focus({ preventScroll: true })
    if (!isFirst) scrollTo(0, 0)
    isFirst = false
  }, [])
  return html`<div class="page">
    <header class="page-head">
      <div>
        ${above && html`<a class="above" href=${above.href}>${above.title}</a>`}
        <h1 tabindex="-1" ref=${heading}>${title}</h1>
        ${intro && html`<p class="intro">${intro}</p>`}
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}
  </div>`
}

export interface PanelProps {
  readonly title?: string
  readonly intro?: Children
  readonly actions?: Children
  /** Without padding, for a table that fills it. */
  readonly flush?: boolean
  readonly children?: Children
}

/** A framed part of a page. */
export function Panel({ title, intro, actions, flush, children }: PanelProps): VNode {
  return html`<section class=${flush ? 'panel flush' : 'panel'} aria-label=${title}>
    ${
      (title || actions) &&
      html`<header class="panel-head">
        <div>${title && html`<h2>${title}</h2>`} ${intro && html`<p class="hint">${intro}</p>`}</div>
        ${actions && html`<div class="actions">${actions}</div>`}
      </header>`
    }
    <div class="panel-body">${children}</div>
  </section>`
}

/** Something to do. `tone`: `primary` for what the page is for, `danger` for what cannot be undone. `href` makes it a link. */
export function Button({
  tone = 'plain',
  icon,
  small,
  href,
  type = 'button',
  children,
  ...others
}: {
  readonly tone?: 'primary' | 'plain' | 'danger' | 'quiet'
  readonly icon?: Children
  readonly small?: boolean
  readonly href?: string | undefined
  readonly type?: 'button' | 'submit'
  readonly children?: Children
  readonly [attribute: string]: unknown
}): VNode {
  const look = `button ${tone}${small ? ' small' : ''}`
  return href === undefined
    ? html`<button class=${look} type=${type} ...${others}>${icon}${children}</button>`
    : html`<a class=${look} href=${href} ...${others}>${icon}${children}</a>`
}
