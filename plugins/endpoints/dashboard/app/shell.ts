import type { FunctionComponent, VNode } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { session, setAntiForgery, signedIn, signedOut } from './api.ts'
import { Confirm } from './components/dialog.ts'
import { Loading, Notice, Problem } from './components/feedback.ts'
import { Icon } from './components/icon.ts'
import { Page } from './components/page.ts'
import { addedPages, type AddedPage } from './added-pages.ts'
import { html } from './html.ts'
import { useLeaving } from './leaving.ts'
import { Navigation } from './navigation.ts'
import { OpenAlerts, useOpenAlerts } from './open-alerts.ts'
import { keepOverview } from './overview-view.ts'
import { pages, type PageEntry } from './page-list.ts'
import { usePlace } from './place.ts'
import { reaches, SessionContext, type SignedIn } from './session.ts'
import { SignInPage } from './sign-in-page.ts'
import { forgetSignIn, rememberSignIn, wasSignedIn } from './signed-in-before.ts'

interface SessionReply {
  readonly admin: SignedIn | null
  readonly anti_forgery?: string
  readonly pages?: readonly AddedPage[]
  readonly openid?: { readonly name: string } | null
}

/** The frame around the pages: who is signed in, and which page it is. When a session ends, the page waits behind the form that signs in. */
export function Shell(): VNode {
  const [reply, setReply] = useState<SessionReply>()
  const [last, setLast] = useState<SessionReply>()
  const [error, setError] = useState<unknown>()
  const load = async (): Promise<void> => {
    try {
      const found = await session.read<SessionReply>()
      setAntiForgery(found.anti_forgery)
      setReply(found)
      if (found.admin) {
        setLast(found)
        rememberSignIn()
        dispatchEvent(new Event(signedIn))
      }
      setError(undefined)
    } catch (thrown) {
      setError(thrown)
    }
  }
  const signOut = async (): Promise<void> => {
    setLast(undefined)
    forgetSignIn()
    await load()
  }
  useEffect(() => {
    void load()
    const ended = (): void => void load()
    addEventListener(signedOut, ended)
    return () => removeEventListener(signedOut, ended)
  }, [])
  const isOut = reply !== undefined && !reply.admin
  useLayoutEffect(() => setAside(isOut), [isOut])
  if (error !== undefined && !last) return html`<main class="alone"><${Problem} error=${error} retry=${load} /></main>`
  if (!reply) return html`<main class="alone"><${Loading} /></main>`
  return html`${isOut && html`<${SignInPage} openId=${reply.openid ?? null} hasEnded=${last !== undefined || wasSignedIn()} onSignedIn=${load} />`}
  ${
    last?.admin &&
    html`<div key=${`${last.admin.role} ${last.admin.org}`} hidden=${isOut}>
      <${SessionContext.Provider} value=${last.admin}>
        <${Frame} admin=${last.admin} added=${last.pages ?? []} onSignedOut=${signOut} />
      <//>
    </div>`
  }`
}

/** Modal dialogs would hold the focus even while they are not shown. */
function setAside(isOut: boolean): void {
  for (const dialog of document.querySelectorAll('dialog')) {
    if (isOut && dialog.open) dialog.close()
    else if (!isOut && !dialog.open) dialog.showModal()
  }
}

function Frame({
  admin,
  added,
  onSignedOut,
}: {
  readonly admin: SignedIn
  readonly added: readonly AddedPage[]
  readonly onSignedOut: () => void
}): VNode {
  const { page: id, query } = usePlace()
  if (id === '') keepOverview(Object.fromEntries(query))
  const [isOpen, setOpen] = useState(false)
  const openAlerts = useOpenAlerts()
  const all = [...pages, ...addedPages(added)].filter(({ role = 'viewer', reach = 'org' }) => reaches(admin, role, reach))
  const current = all.find(page => page.id === id)
  useLayoutEffect(() => setOpen(false), [id])
  return html`<div class="frame">
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <header class="top">
      <button type="button" class="icon-button" aria-expanded=${isOpen} aria-controls="navigation" onClick=${() => setOpen(!isOpen)}>
        <${Icon} name=${isOpen ? 'close' : 'menu'} /><span class="hidden">Menu</span>
      </button>
      <span class="top-title">${current?.title ?? 'Turnpike'}</span>
      ${openAlerts !== undefined && html`<a class="top-alerts" href="alerts"><${OpenAlerts} number=${openAlerts} /></a>`}
    </header>
    <${LeaveDialog} />
    <${Navigation} pages=${all} current=${id} admin=${admin} isOpen=${isOpen} openAlerts=${openAlerts} onSignedOut=${onSignedOut} />
    <main id="main" tabindex="-1">
      ${
        current
          ? html`<${LoadedPage} key=${current.id} page=${current} />`
          : html`<${Page} title="No such page"
              ><${Notice} tone="warn"> There is no page “${id}” here, or not for your role. <a href="./">Go to the overview</a>.<//><//
            >`
      }
    </main>
  </div>`
}

function LeaveDialog(): VNode | null {
  const { isAsking, discard, stay } = useLeaving()
  if (!isAsking) return null
  return html`<${Confirm} title="Leave without saving?" action="Discard changes" onClose=${stay} onConfirm=${async () => discard()}>
    Your changes on this page are not saved.
  <//>`
}

/** A page, whose module is loaded first. */
function LoadedPage({ page }: { readonly page: PageEntry }): VNode {
  const [component, setComponent] = useState<{ readonly it: FunctionComponent }>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    page.load().then(
      module => setComponent({ it: module.default }),
      () => setError(new Error('This page could not be loaded. Reload the browser tab.')),
    )
  }, [])
  if (error !== undefined) return html`<${Page} title=${page.title}><${Problem} error=${error} /><//>`
  return component ? html`<${component.it} />` : html`<${Loading} />`
}

/** The address stays as it is: it has the page, not a place on it. */
function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
