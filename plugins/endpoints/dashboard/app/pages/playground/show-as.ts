import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { CodeBlock } from '../../components/copy.ts'
import { Dialog } from '../../components/dialog.ts'
import { Tabs } from '../../components/tabs.ts'
import { html } from '../../html.ts'
import { usePublicUrl } from '../../public-url.ts'
import { languages, snippetOf, type Language } from './snippets.ts'

/** The same request for a terminal or a program. */
export function ShowAs({
  surface,
  request,
  onClose,
}: {
  readonly surface: 'responses' | 'systemone'
  readonly request: Readonly<Record<string, unknown>>
  readonly onClose: () => void
}): VNode {
  const [language, setLanguage] = useState<Language>('curl')
  const baseUrl = usePublicUrl()
  return html`<${Dialog} title="Show as" wide onClose=${onClose}>
    <${Tabs} label="Language" tabs=${languages.map(id => ({ id, title: id }))} current=${language} onSelect=${setLanguage}>
      <${CodeBlock} label=${`The request as ${language}`} text=${snippetOf(language, surface, baseUrl, request)} />
    <//>
    <p class="hint">
      Put an API key into the environment as TURNPIKE_API_KEY. The address is where the public API probably is; behind a proxy, use its
      address.
    </p>
  <//>`
}
