import type { VNode } from 'preact'
import { CodeBlock } from '../../components/copy.ts'
import { Notice } from '../../components/feedback.ts'
import { Button, Page, Panel } from '../../components/page.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import type { ShownKey } from './key.ts'

/** The text of a key, this once. */
export function KeyText({ shown, title }: { readonly shown: ShownKey; readonly title: string }): VNode {
  return html`<${Page} title=${title} above=${{ title: 'Keys', href: 'keys' }}>
    <${ShownText} shown=${shown} />
    <div class="actions">
      <${Button} tone="primary" href=${hrefOf('keys', { id: shown.id })}>Go to ${shown.name}<//>
      <${Button} href=${hrefOf('playground', { key: shown.id })}>Try it in the playground<//>
    </div>
  <//>`
}

export function ShownText({ shown }: { readonly shown: ShownKey }): VNode {
  const { key, name, warnings = [] } = shown
  return html`<${Panel}>
    <div class="stack">
      <${Notice} tone="warn" title="Copy it now.">Only its hash is kept, so it cannot be shown again.<//>
      <${CodeBlock} text=${key} label=${`Key of ${name}`} />
      ${warnings.map(warning => html`<${Notice} tone="warn">${warning}<//>`)}
      <p class="hint">
        For OpenAI's SDK, set <code>OPENAI_API_KEY</code> to it, and <code>OPENAI_BASE_URL</code> to the address of the gateway with${' '}
        <code>/v1</code>.
      </p>
    </div>
  <//>`
}
