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
  path,
  request,
  onClose,
}: {
  readonly surface: string
  /** Default: that of the surface's name. */
  readonly path?: string
  readonly request: Readonly<Record<string, unknown>>
  readonly onClose: () => void
}): VNode {
  const [language, setLanguage] = useState<Language>('curl')
  const baseUrl = usePublicUrl()
  return html`<${Dialog} title="Show as" wide onClose=${onClose}>
    <${Tabs} label="Language" tabs=${languages.map(id => ({ id, title: id }))} current=${language} onSelect=${setLanguage}>
      <${CodeBlock} label=${`The request as ${language}`} text=${snippetOf(language, surface, baseUrl, request, path)} />
    <//>
    <p class="hint">
      Set TURNPIKE_KEY to an API key in the environment. The address is a guess at that of the public API; behind a proxy, use the proxy's.
    </p>
  <//>`
}
