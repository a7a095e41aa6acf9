import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { html } from '../html.ts'
import { Icon } from './icon.ts'

const shownMs = 2000

/** Copies a text. `what` names it for those who do not see where the button is. */
export function CopyButton({
  text,
  what = 'text',
  label,
}: {
  readonly text: string
  readonly what?: string
  readonly label?: string
}): VNode {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = async (): Promise<void> => {
    setState((await copied(text)) ? 'copied' : 'failed')
    setTimeout(() => setState('idle'), shownMs)
  }
  const said = { idle: label, copied: 'Copied', failed: 'Select it and copy it yourself' }[state]
  return html`<button
    type="button"
    class=${label ? 'button plain small' : 'icon-button'}
    aria-label=${label ? undefined : `Copy the ${what}`}
    onClick=${copy}
  >
    <${Icon} name=${state === 'copied' ? 'check' : 'copy'} size=${16} />
    <span aria-live="polite" class=${label ? undefined : 'hidden'}>${said}</span>
  </button>`
}

/** An id or a secret, with a button that copies it. */
export function Code({ text, what, copy = true }: { readonly text: string; readonly what?: string; readonly copy?: boolean }): VNode {
  return html`<span class="code"><code>${text}</code>${copy && html`<${CopyButton} text=${text} what=${what} />`}</span>`
}

/** Some lines of code, with a button that copies them. */
export function CodeBlock({ text, label = 'Code' }: { readonly text: string; readonly label?: string }): VNode {
  return html`<div class="code-block">
    <pre tabindex="0" role="region" aria-label=${label}><code>${text}</code></pre>
    <${CopyButton} text=${text} what=${label} />
  </div>`
}

/** Without HTTPS and beyond this machine, browsers have no `navigator.clipboard`. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
