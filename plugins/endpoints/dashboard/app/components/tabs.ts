import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import { html, type Children } from '../html.ts'

export interface Tab {
  readonly id: string
  readonly title: Children
}

export interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly current: string
  readonly onSelect: (id: string) => void
  /** The content of the current tab. */
  readonly children?: Children
}

/** Arrow keys, Home and End move between the tabs. */
export function Tabs({ label, tabs, current, onSelect, children }: TabsProps): VNode {
  const id = useId()
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(tab => tab.id === current)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = tabs[to % tabs.length]!
    onSelect(next.id)
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return html`<div class="tabs">
    <div class="tab-list" role="tablist" aria-label=${label} onKeyDown=${move}>
      ${tabs.map(
        tab =>
          html`<button
            type="button"
            role="tab"
            id=${`${id}-${tab.id}`}
            aria-selected=${tab.id === current}
            aria-controls=${`${id}-panel`}
            tabindex=${tab.id === current ? 0 : -1}
            onClick=${() => onSelect(tab.id)}
          >
            ${tab.title}
          </button>`,
      )}
    </div>
    <div role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-${current}`}>${children}</div>
  </div>`
}
