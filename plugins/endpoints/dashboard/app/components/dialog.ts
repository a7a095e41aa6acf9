import type { VNode } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { html, type Children } from '../html.ts'
import { Problem } from './feedback.ts'
import { Icon } from './icon.ts'
import { Button } from './page.ts'

export interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  readonly children?: Children
}

/** A modal dialog, open as long as it is rendered. The browser keeps the focus inside, and gives it back. */
export function Dialog({ title, onClose, wide, children }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const dialog = element.current!
    dialog.showModal()
    return () => dialog.close()
  }, [])
  const close = (event: Event): void => {
    event.preventDefault()
    onClose()
  }
  return html`<dialog ref=${element} class=${wide ? 'wide' : undefined} aria-labelledby=${id} onCancel=${close}>
    <header class="dialog-head">
      <h2 id=${id}>${title}</h2>
      <button type="button" class="icon-button" aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button>
    </header>
    <div class="dialog-body">${children}</div>
  </dialog>`
}

/** Asks before something that cannot be undone. `onConfirm` may throw: its message is shown. */
export function Confirm({
  title,
  action,
  tone = 'danger',
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string
  readonly action: string
  readonly tone?: 'danger' | 'primary'
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
  readonly children?: Children
}): VNode {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const confirm = async (): Promise<void> => {
    setBusy(true)
    try {
      await onConfirm()
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  return html`<${Dialog} title=${title} onClose=${onClose}>
    ${error !== undefined && html`<${Problem} error=${error} />`}
    <div>${children}</div>
    <div class="dialog-actions">
      <${Button} onClick=${onClose}>Cancel<//>
      <${Button} tone=${tone} disabled=${isBusy} onClick=${confirm}>${action}<//>
    </div>
  <//>`
}
