import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ListOf } from './api.ts'
import { useData } from './data.ts'
import { html } from './html.ts'

const everyMs = 60_000
/** Beyond that, the number does not matter. */
const most = 99
const changed = 'turnpike:alerts-changed'

/** Counts the alerts anew, because somebody has changed one here. */
export function tellAlertsChanged(): void {
  dispatchEvent(new Event(changed))
}

/** How many alerts nobody has acknowledged, such as `3` or `99+`. Undefined without any. */
export function useOpenAlerts(): string | undefined {
  const [version, setVersion] = useState(0)
  const [isKept, setKept] = useState(true)
  const { data, error } = useData<ListOf<unknown>>(
    '/alerts',
    { state: 'open', limit: most },
    { pollMs: isKept ? everyMs : undefined, version },
  )
  // A gateway without a store of alerts.
  if (isKept && error?.status === 404) setKept(false)
  useEffect(() => {
    const count = (): void => setVersion(now => now + 1)
    addEventListener(changed, count)
    return () => removeEventListener(changed, count)
  }, [])
  if (!data || data.data.length === 0) return undefined
  return data.has_more ? `${most}+` : String(data.data.length)
}

/** The number, where it is not undefined. */
export function OpenAlerts({ number }: { readonly number: string | undefined }): VNode | null {
  if (number === undefined) return null
  return html`<span class="badge bad">${number}<span class="hidden"> alerts that nobody has acknowledged</span></span>`
}
