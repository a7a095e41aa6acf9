import { useEffect, useLayoutEffect, useState } from 'preact/hooks'

/** One for each form that has changes. */
const unsaved = new Set<object>()
const asks = new EventTarget()
type Leave = () => void

/** While it is true, nobody leaves the page without being asked. */
export function useUnsaved(isUnsaved: boolean): void {
  useLayoutEffect(() => {
    if (!isUnsaved) return
    const form = {}
    unsaved.add(form)
    addEventListener('beforeunload', keepTab)
    return () => {
      unsaved.delete(form)
      if (unsaved.size === 0) removeEventListener('beforeunload', keepTab)
    }
  }, [isUnsaved])
}

export function hasUnsaved(): boolean {
  return unsaved.size > 0
}

/** Leaves at once, or as soon as somebody agrees to lose what is not saved. */
export function leave(go: Leave): void {
  if (hasUnsaved()) asks.dispatchEvent(new CustomEvent('ask', { detail: go }))
  else go()
}

/** Who wants to leave, for the dialog that asks. `discard` lets them. */
export function useLeaving(): { readonly isAsking: boolean; discard(): void; stay(): void } {
  const [go, setGo] = useState<{ readonly leave: Leave }>()
  useEffect(() => {
    const ask = (event: Event): void => setGo({ leave: (event as CustomEvent<Leave>).detail })
    asks.addEventListener('ask', ask)
    return () => asks.removeEventListener('ask', ask)
  }, [])
  const stay = (): void => setGo(undefined)
  const discard = (): void => {
    stay()
    unsaved.clear()
    removeEventListener('beforeunload', keepTab)
    go?.leave()
  }
  return { isAsking: go !== undefined, discard, stay }
}

/** The browser asks in its own words. */
function keepTab(event: Event): void {
  event.preventDefault()
}
