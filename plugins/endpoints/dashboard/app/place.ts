import { useLayoutEffect, useState } from 'preact/hooks'
import { withParameters, type Parameters } from './address.ts'
import { hasUnsaved, leave } from './leaving.ts'

export { hrefOf, type Parameters } from './address.ts'

/** Where the browser is: a page of the dashboard and its parameters. All pages are in one folder, so every address is relative. */
export interface Place {
  /** The id of the page. Empty for the first one. */
  readonly page: string
  readonly query: URLSearchParams
}

const changed = new EventTarget()

export function here(): Place {
  const { pathname, search } = location
  return { page: decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)), query: new URLSearchParams(search) }
}

/** Asks first if something is not saved, except with `replace`, which stays on the page. */
export function go(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) {
    history.replaceState(history.state, '', href)
    changed.dispatchEvent(new Event('change'))
  } else
    leave(() => {
      history.pushState({ position: ++position }, '', href)
      changed.dispatchEvent(new Event('change'))
    })
}

/** Among the entries of the browser's history that the dashboard made. */
let position = 0

/** Asks before the browser's buttons leave a page with something that is not saved. Call it before anything else listens to `popstate`. */
export function guardHistory(): void {
  position = positionIn(history.state) ?? 0
  history.replaceState({ position }, '')
  let isComingBack = false
  addEventListener('popstate', event => {
    const to = positionIn(event.state) ?? position
    const steps = to - position
    if (!isComingBack && (steps === 0 || !hasUnsaved())) {
      position = to
      return
    }
    // The browser is there already: it goes back first.
    event.stopImmediatePropagation()
    if (!isComingBack) {
      history.go(-steps)
      leave(() => history.go(steps))
    }
    isComingBack = !isComingBack
  })
}

function positionIn(state: unknown): number | undefined {
  return (state as { readonly position?: number } | null)?.position
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here)
  // At once: a change right after the first rendering must not be missed.
  useLayoutEffect(() => {
    const update = (): void => setPlace(here())
    changed.addEventListener('change', update)
    addEventListener('popstate', update)
    return () => {
      changed.removeEventListener('change', update)
      removeEventListener('popstate', update)
    }
  }, [])
  return place
}

/**
 * The parameters of the page, and a function that changes some of them. A change makes a new entry in the browser's history, unless it is
 * made with `replace`, as while somebody types.
 */
export function useParameters(): readonly [
  Readonly<Record<string, string | undefined>>,
  (change: Parameters, options?: { readonly replace?: boolean }) => void,
] {
  const { page, query } = usePlace()
  const set = (change: Parameters, options?: { readonly replace?: boolean }): void => {
    const text = withParameters(here().query, change).toString()
    go(`${page || './'}${text && `?${text}`}`, options)
  }
  return [Object.fromEntries(query), set]
}

/** Lets links between pages be plain `<a href>`: a click changes the page without loading the document. */
export function followLinks(): void {
  addEventListener('click', event => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
    const folder = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
    if (folder(link.pathname) !== folder(location.pathname) || link.hash) return
    event.preventDefault()
    go(link.href)
  })
}
